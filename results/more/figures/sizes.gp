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
left = sizes_left / 1.03
right = sizes_right * 1.03
longest = 0
do for [d in sizes_datasets] { if (strlen(d) > longest) { longest = strlen(d) } }
side = (22 + 8.0 * longest) / width
offset(i) = (i - (k + 1) / 2.0) * 0.72 / k
slot(i) = place(sizes_datasets, strcol("dataset")) + offset(i)
# A value of method i at the level that is drawn, if it passes.
chosen(i, passes, value) = strcol("method") eq word(others, i) && strcol("alpha") eq level && passes ? value : NaN
head = (right / left) ** 0.05  # length of an arrow

do for [format in "svg pdf"] {
  reset
  load "style.gp"
  @set_terminal
  set output "sizes." . format
  set multiplot
  set logscale x 2
  set xrange [left : right]
  set yrange [n + 0.55 : 0.45]
  if (right / left < 2) { set xtics (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6, 2) } \
  else { if (right / left < 20) { set xtics (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 20) } \
  else { set xtics (0.001, 0.01, 0.1, 1, 10, 100, 1000) } }
  set grid xtics lc rgb "#dddddd" lw 0.6
  set tmargin at screen 1 - 28 / height
  set bmargin at screen (strip + 54) / height
  do for [l=1:words(levels)] {
    level = word(levels, l)
    set lmargin at screen side + (l - 1) * (1 - side - 8 / width) / words(levels)
    set rmargin at screen side + (l - 0.06) * (1 - side - 8 / width) / words(levels)
    set title "α = " . level offset 0, -0.6
    set xlabel "size relative to fixed" offset 0, lift
    unset ytics
    if (l == 1) { set for [i=1:n] ytics (word(sizes_datasets, i) i) scale 0; }
    unset arrow
    do for [i=1:n-1] { set arrow from graph 0, first i + 0.5 to graph 1, first i + 0.5 nohead lw 0.5 lc rgb "#cccccc" }
    set arrow from first 1, graph 0 to first 1, graph 1 nohead lw 1.2 lc rgb "#000000"
    unset key
    # What the axis does not reach ends in an arrow; where the ratio itself lies beyond, its value stands above it.
    # Bars are vectors: with xerrorbars gnuplot 6 paints a white disc behind every point, over what was drawn before.
    within(x) = x < left ? left : x > right ? right : x
    plot for [i=1:k] "sizes.csv" using \
           (chosen(i, column("lower") < right && column("upper") > left, within(column("lower")))):(slot(i)): \
           (within(column("upper")) - within(column("lower"))):(0) \
           with vectors heads size screen 0.005, 90 fixed lw 1.3 lc rgb colour(word(others, i)) notitle, \
         for [i=1:k] "sizes.csv" using (chosen(i, 1, column("ratio"))):(slot(i)) \
           with points pt mark(word(others, i)) ps 0.6 * scale lw 1.3 lc rgb colour(word(others, i)) notitle, \
         for [i=1:k] "sizes.csv" using (chosen(i, column("upper") > right, right / head)):(slot(i)):(right - right / head):(0) \
           with vectors head filled size screen 0.012, 22 fixed lw 1.3 lc rgb colour(word(others, i)) notitle, \
         for [i=1:k] "sizes.csv" using (chosen(i, column("lower") < left, left * head)):(slot(i)):(left - left * head):(0) \
           with vectors head filled size screen 0.012, 22 fixed lw 1.3 lc rgb colour(word(others, i)) notitle, \
         for [i=1:k] "sizes.csv" using (chosen(i, column("ratio") > right, right)):(slot(i)):(sprintf("%.2g", column("ratio"))) \
           with labels right offset -0.2, 0.45 font ",9" textcolor rgb colour(word(others, i)) notitle, \
         for [i=1:k] "sizes.csv" using (chosen(i, column("ratio") < left, left)):(slot(i)):(sprintf("%.2g", column("ratio"))) \
           with labels left offset 0.2, 0.45 font ",9" textcolor rgb colour(word(others, i)) notitle
    unset object
  }
  @key_strip
  plot for [m in others] NaN with linespoints pt mark(m) ps 0.6 * scale lw 1.3 lc rgb colour(m) title label(m)
  unset multiplot
  set output
}
