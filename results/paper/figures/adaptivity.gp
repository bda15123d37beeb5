# Coverage by decile of the local error. Reads adaptivity.csv. Run: gnuplot adaptivity.gp
load "names.gp"
load "style.gp"
n = words(adaptivity_datasets)
columns = n < 3 ? n : n == 4 ? 2 : 3
rows = (n + columns - 1) / columns
panel = 250.0
key_rows = 2
strip = 52.0
height = panel * rows + strip
k = words(drawn)
shift(m) = 0.3 * (place(drawn, m) - (k + 1) / 2.0) / k
selected(value, m, d) = strcol("method") eq m && strcol("dataset") eq d && strcol("alpha") eq coverage_level ? value : NaN
stats "adaptivity.csv" using (strcol("alpha") eq coverage_level && has(drawn, strcol("method")) ? column("coverage") : NaN) \
  nooutput name "c"

do for [format in "svg pdf"] {
  reset
  load "style.gp"
  @set_terminal
  set output "adaptivity." . format
  set multiplot
  set xrange [0.5:10.5]
  set yrange [c_min - 0.02 : (c_max + 0.02 > 1.005 ? 1.005 : c_max + 0.02)]
  set xtics 1
  set grid ytics lc rgb "#e4e4e4" lw 0.6
  do for [p=1:n] {
    d = word(adaptivity_datasets, p)
    column_of = (p - 1) % columns
    row_of = (p - 1) / columns
    @panel_margins
    set title d offset 0, -0.6
    set xlabel "decile of local error" offset 0, 0.7
    unset label 1
    if (column_of == 0) { set label 1 sprintf("coverage at α = %s", coverage_level) @at_left }
    unset key
    unset arrow
    set arrow from graph 0, first 1 - real(coverage_level) to graph 1, first 1 - real(coverage_level) nohead lw 1 lc rgb "#999999"
    plot for [m in drawn] "adaptivity.csv" using (column("decile") + shift(m)): \
           (selected(column("coverage"), m, d)) with lines lw 1.4 dt dash(m) lc rgb colour(m) notitle, \
         for [m in drawn] "adaptivity.csv" using (column("decile") + shift(m)): \
           (selected(column("coverage"), m, d)):"coverage_error" \
           with yerrorbars pt mark(m) ps 0.5 * scale lw 0.6 dt 1 lc rgb colour(m) notitle
  }
  @key_strip
  plot for [m in drawn] NaN with linespoints pt mark(m) ps 0.45 * scale lw 1.5 dt dash(m) lc rgb colour(m) title long_label(m)
  unset multiplot
  set output
}
