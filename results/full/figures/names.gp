# Written by `lacp figures`: what the scripts beside it draw.
panels = "cos squared inverse linear"
banded = "cos squared inverse linear"
sizes_datasets = "energy concrete homes CASP facebook_1 cos squared inverse linear"
adaptivity_datasets = "energy concrete homes CASP facebook_1 cos squared inverse linear"
methods = "erc_error_fit erc linear exp sigma mixture fixed"
levels = "0.05 0.1 0.32"
sizes_left = 0.4005
sizes_right = 1.953
interval_level = "0.05"
coverage_level = "0.1"
