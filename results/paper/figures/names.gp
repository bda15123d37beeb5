# Written by `lacp figures`: what the scripts beside it draw.
panels = "cos squared inverse linear"
banded = "cos squared inverse linear"
sizes_datasets = "energy_with_y1 concrete homes CASP facebook_1 cos squared inverse linear"
adaptivity_datasets = "energy_with_y1 concrete homes CASP facebook_1 cos squared inverse linear"
methods = "erc_error_fit erc linear exp sigma fixed"
levels = "0.05 0.1 0.32"
sizes_left = 0.3228
sizes_right = 1.945
interval_level = "0.05"
coverage_level = "0.1"
