# Written by `lacp figures`: what the scripts beside it draw.
panels = ""
banded = ""
sizes_datasets = "energy_with_y1 concrete homes CASP facebook_1"
adaptivity_datasets = "energy_with_y1 concrete homes CASP facebook_1"
methods = "erc_error_fit erc linear exp sigma fixed"
levels = "0.05 0.1 0.32"
sizes_left = 0.6072
sizes_right = 1.495
interval_level = "0.05"
coverage_level = "0.1"
