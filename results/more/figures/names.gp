# Written by `lacp figures`: what the scripts beside it draw.
panels = ""
banded = ""
sizes_datasets = "bike star community blog_data abalone kin8nm california"
adaptivity_datasets = "bike star community blog_data abalone kin8nm california"
methods = "erc_error_fit erc linear exp sigma mixture fixed"
levels = "0.05 0.1 0.32"
sizes_left = 0.5866
sizes_right = 1.577
interval_level = "0.05"
coverage_level = "0.1"
