# Size relative to fixed against coverage of the hardest tenth. Reads frontier.csv. Run: gnuplot frontier.gp
load "names.gp"
load "style.gp"
n = words(frontier_datasets)
columns = n < 3 ? n : n == 4 ? 2 : 3
rows = (n + columns - 1) / columns
panel = 262.0
others = ""
do for [m in methods] { if (m ne "fixed" && m[1:6] ne "adapt_") { others = others . " " . m } }
key_rows = (words(others) + 3) / 3
strip = 14.0 + 19 * key_rows
height = panel * rows + strip
at_level(value, d) = strcol("dataset") eq d && strcol("alpha") eq coverage_level ? value : NaN
on_curve(value, d) = strlen(strcol("theta")) ? at_level(value, d) : NaN
of_method(value, m, d) = strcol("method") eq m ? at_level(value, d) : NaN
theta(t) = t eq "0" ? "θ = 0" : t eq "0.25" ? "¼" : t eq "0.5" ? "½" : t eq "0.75" ? "¾" : t

do for [format in "svg pdf"] {
  reset
  load "style.gp"
  title_room = 40.0  # a title, and what lies beyond the axis
  @set_terminal
  set output output_file("frontier")
  set multiplot
  set grid lc rgb "#e8e8e8" lw 0.6
  do for [p=1:n] {
    d = word(frontier_datasets, p)
    column_of = (p - 1) % columns
    row_of = (p - 1) / columns
    @panel_margins
    left = real(word(frontier_left, p))
    right = real(word(frontier_right, p))
    wide = (right - left) * 0.07
    set xrange [left - 1.8 * wide : right + wide]
    set autoscale y
    stats "frontier.csv" using (at_level(column("coverage"), d)) nooutput name "hardest"
    low = hardest_min < 1 - real(coverage_level) ? hardest_min : 1 - real(coverage_level)
    high = hardest_max > 1 - real(coverage_level) ? hardest_max : 1 - real(coverage_level)
    set yrange [low - 0.16 * (high - low) : high + 0.09 * (high - low)]
    set xtics right - left > 2.5 ? 1 : right - left > 1 ? 0.5 : right - left > 0.5 ? 0.2 : right - left > 0.2 ? 0.1 : 0.05
    beyond = value(sprintf("frontier_beyond_%d", p))
    set title d offset 0, (strlen(beyond) ? -0.1 : -0.6)
    set xlabel "size relative to fixed" offset 0, lift
    unset label
    if (column_of == 0) { set label 1 sprintf("coverage of the hardest tenth, α = %s", coverage_level) font ",11" @at_left }
    if (strlen(beyond)) { set label 2 "beyond: " . beyond at graph 0.5, 1.015 center font ",9" textcolor rgb "#666666" }
    unset key
    unset arrow
    set arrow from graph 0, first 1 - real(coverage_level) to graph 1, first 1 - real(coverage_level) nohead lw 1 dt 2 lc rgb "#888888"
    plot "frontier.csv" using (on_curve(column("relative_size"), d)):(on_curve(column("coverage"), d)) \
           with linespoints pt 7 ps 0.35 * scale lw 1.6 lc rgb "#000000" notitle, \
         "frontier.csv" using (on_curve(column("relative_size"), d)):(on_curve(column("coverage"), d)):(theta(strcol("theta"))) \
           with labels right offset -0.4, -0.55 font ",11" textcolor rgb "#000000" notitle, \
         for [m in others] "frontier.csv" using (of_method(column("relative_size"), m, d)):(of_method(column("coverage"), m, d)) \
           with points pt mark(m) ps 0.7 * scale lw 1.3 lc rgb colour(m) notitle
    unset object
  }
  @key_strip
  plot NaN with linespoints pt 7 ps 0.35 * scale lw 1.6 lc rgb "#000000" title "θ from 0 to 1", \
       for [m in others] NaN with points pt mark(m) ps 0.7 * scale lw 1.3 lc rgb colour(m) title label(m)
  unset multiplot
  set output
}
