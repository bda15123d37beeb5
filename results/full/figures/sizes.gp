# Size relative to fixed, per data set, method and level. Reads sizes.csv. Run: gnuplot sizes.gp
load "names.gp"
load "style.gp"
others = ""
do for [m in methods] { if (m ne "fixed") { others = others . " " . m } }
n = words(sizes_datasets)
k = words(others)
key_rows = 2
strip = 52.0
height = 50.0 * n + 86 + strip
stats "sizes.csv" using "lower" nooutput name "low"
stats "sizes.csv" using "upper" nooutput name "high"
left = low_min > 0.25 ? low_min : 0.25
right = high_max < 8 ? high_max : 8
longest = 0
do for [d in sizes_datasets] { if (strlen(d) > longest) { longest = strlen(d) } }
side = (22 + 8.0 * longest) / width
offset(i) = (i - (k + 1) / 2.0) * 0.72 / k

do for [format in "svg pdf"] {
  reset
  load "style.gp"
  @set_terminal
  set output "sizes." . format
  set multiplot
  set logscale x 2
  set xrange [left / 1.08 : right * 1.08]
  set yrange [n + 0.55 : 0.45]
  if (right / left < 3) { set xtics (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 2.5, 3) } \
  else { set xtics (0.25, 0.5, "" 0.7 1, 1, "" 1.5 1, 2, 4, "" 8) }
  set grid xtics lc rgb "#dddddd" lw 0.6
  set tmargin at screen 1 - 28 / height
  set bmargin at screen (strip + 54) / height
  do for [l=1:words(levels)] {
    level = word(levels, l)
    set lmargin at screen side + (l - 1) * (1 - side - 8 / width) / words(levels)
    set rmargin at screen side + (l - 0.06) * (1 - side - 8 / width) / words(levels)
    set title "α = " . level offset 0, -0.6
    set xlabel "size relative to fixed" offset 0, 0.7
    unset ytics
    if (l == 1) { set for [i=1:n] ytics (word(sizes_datasets, i) i) scale 0; }
    unset arrow
    do for [i=1:n-1] { set arrow from graph 0, first i + 0.5 to graph 1, first i + 0.5 nohead lw 0.5 lc rgb "#cccccc" }
    set arrow from first 1, graph 0 to first 1, graph 1 nohead lw 1.2 lc rgb "#000000"
    unset key
    plot for [i=1:k] "sizes.csv" using \
      (strcol("method") eq word(others, i) && strcol("alpha") eq level ? column("ratio") : NaN): \
      (place(sizes_datasets, strcol("dataset")) + offset(i)):"lower":"upper" \
      with xerrorbars pt mark(word(others, i)) ps 0.6 * scale lw 1.3 lc rgb colour(word(others, i)) notitle
  }
  @key_strip
  plot for [m in others] NaN with linespoints pt mark(m) ps 0.6 * scale lw 1.3 lc rgb colour(m) title label(m)
  unset multiplot
  set output
}
