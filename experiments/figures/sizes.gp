# Size relative to fixed, per data set, method and level. Reads sizes.csv. Run: gnuplot sizes.gp
load "names.gp"
load "style.gp"
others = ""
do for [m in methods] { if (m ne "fixed" && chosen_of_many(m)) { others = others . " " . m } }
n = words(sizes_datasets)
k = words(others)
key_rows = 2
strip = 52.0
row = 8.0 * k + 12 < 50 ? 50.0 : 8.0 * k + 12  # a line of small print for each method
height = row * n + 86 + strip
left = sizes_left / 1.03
right = sizes_right * 1.03
longest = 0
do for [d in sizes_datasets] { if (strlen(d) > longest) { longest = strlen(d) } }
side = (22 + 8.0 * longest) / width
offset(i) = (i - (k + 1) / 2.0) * 0.82 / k
slot(i) = place(sizes_datasets, strcol("dataset")) + offset(i)
# A value of method i at the level that is drawn, if it passes.
is_chosen(i, passes) = strcol("method") eq word(others, i) && strcol("alpha") eq level && passes
chosen(i, passes, value) = is_chosen(i, passes) ? value : NaN
# The same for a label, beyond the axis where there is none: gnuplot 5.4 crashes if no line has a place for it.
labelled(i, passes, value) = is_chosen(i, passes) ? value : left / 1e6
head = (right / left) ** 0.05  # length of an arrow
# Where the ratio itself lies beyond the axis its value stands before the arrow, and the bar ends before the value.
short(x) = x >= 9.5e3 || x < 1e-3 ? sprintf("%.0fe%d", x / 10 ** floor(log10(x)), floor(log10(x))) : x >= 99.5 ? sprintf("%.0f", x) : sprintf("%.2g", x)
room = (right / left) ** 0.21
first_of(lower, ratio) = ratio < left ? left * room : lower < left ? left : lower
last_of(upper, ratio) = ratio > right ? right / room : upper > right ? right : upper

do for [format in "svg pdf"] {
  reset
  load "style.gp"
  @set_terminal
  set output output_file("sizes")
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
    # What the axis does not reach ends in an arrow.
    # Bars are vectors: with xerrorbars gnuplot 6 paints a white disc behind every point, over what was drawn before.
    drawn_bar(beyond) = (column("ratio") < left || column("ratio") > right) == beyond && \
                        first_of(column("lower"), column("ratio")) < last_of(column("upper"), column("ratio"))
    plot for [i=1:k] "sizes.csv" using \
           (chosen(i, drawn_bar(0), first_of(column("lower"), column("ratio")))):(slot(i)): \
           (last_of(column("upper"), column("ratio")) - first_of(column("lower"), column("ratio"))):(0) \
           with vectors heads size screen 0.005, 90 fixed lw 1.3 lc rgb colour(word(others, i)) notitle, \
         for [i=1:k] "sizes.csv" using \
           (chosen(i, drawn_bar(1), first_of(column("lower"), column("ratio")))):(slot(i)): \
           (last_of(column("upper"), column("ratio")) - first_of(column("lower"), column("ratio"))):(0) \
           with vectors nohead lw 1.3 lc rgb colour(word(others, i)) notitle, \
         for [i=1:k] "sizes.csv" using (chosen(i, 1, column("ratio"))):(slot(i)) \
           with points pt mark(word(others, i)) ps 0.6 * scale lw 1.3 lc rgb colour(word(others, i)) notitle, \
         for [i=1:k] "sizes.csv" using (chosen(i, column("upper") > right, right / head)):(slot(i)):(right - right / head):(0) \
           with vectors head filled size screen 0.009, 22 fixed lw 1.3 lc rgb colour(word(others, i)) notitle, \
         for [i=1:k] "sizes.csv" using (chosen(i, column("lower") < left, left * head)):(slot(i)):(left - left * head):(0) \
           with vectors head filled size screen 0.009, 22 fixed lw 1.3 lc rgb colour(word(others, i)) notitle, \
         for [i=1:k] "sizes.csv" using (labelled(i, column("ratio") > right, right / head)):(slot(i)):(short(column("ratio"))) \
           with labels right offset -0.3, 0 font ",12" textcolor rgb colour(word(others, i)) notitle, \
         for [i=1:k] "sizes.csv" using (labelled(i, column("ratio") < left, left * head)):(slot(i)):(short(column("ratio"))) \
           with labels left offset 0.3, 0 font ",12" textcolor rgb colour(word(others, i)) notitle
    unset object
  }
  @key_strip
  plot for [m in others] NaN with linespoints pt mark(m) ps 0.6 * scale lw 1.3 lc rgb colour(m) title label(m)
  unset multiplot
  set output
}
