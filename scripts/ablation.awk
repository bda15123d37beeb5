# results/ablation/sizes.csv → markdown: mean ± standard deviation of the size at α = 0.05, a row per variant and data set.
BEGIN {
  FS = ","
  split("erc_error_fit erc exp fixed", methods, " ")
  print "# One setting at a time\n"
  print "Size at α = 0.05, mean ± standard deviation over runs, of the protocols `release` and `paper` with one setting"
  print "changed. Written by `make ablation` from [sizes.csv](sizes.csv), which has all levels and the validities;"
  print "`scripts/ablation.sh` says what each variant changes. Data sets are `energy_with_y1` and `concrete` unless the name"
  print "says otherwise.\n"
  print "| variant | data set | runs | erc (error fit) | erc | exp | fixed |"
  print "|---|---|---:|---:|---:|---:|---:|"
}
NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
$column["alpha"] == "0.05" {
  key = $column["variant"] " | " $column["dataset"] " | " $column["runs_wanted"]
  if (!(key in seen)) { seen[key] = 1; order[++count] = key }
  missing = $column["runs_wanted"] - $column["runs"]
  cell[key, $column["method"]] = sprintf("%.3g ± %.2g%s", $column["size_mean"], $column["size_std"],
                                         missing > 0 ? sprintf(" (%d failed)", missing) : "")
}
END {
  for (i = 1; i <= count; ++i) {
    line = "| " order[i] " |"
    for (m = 1; m <= 4; ++m) line = line " " cell[order[i], methods[m]] " |"
    print line
  }
}
