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
error(unused) = valid(6) ? column("coverage_error") : 0  # column 6; of a single run there is none
shown_at(value) = strcol("alpha") eq coverage_level && has(drawn, strcol("method")) ? value : NaN
stats "adaptivity.csv" using (shown_at(column("coverage") - error(0))) nooutput name "low"
stats "adaptivity.csv" using (shown_at(column("coverage") + error(0))) nooutput name "high"

do for [format in "svg pdf"] {
  reset
  load "style.gp"
  @set_terminal
  set output "adaptivity." . format
  set multiplot
  set xrange [0.5:10.5]
  set yrange [low_min - 0.02 : (high_max + 0.02 > 1.005 ? 1.005 : high_max + 0.02)]
  set xtics 1
  set grid ytics lc rgb "#e4e4e4" lw 0.6
  do for [p=1:n] {
    d = word(adaptivity_datasets, p)
    column_of = (p - 1) % columns
    row_of = (p - 1) / columns
    @panel_margins
    set title d offset 0, -0.6
    set xlabel "decile of local error" offset 0, lift
    unset label 1
    if (column_of == 0) { set label 1 sprintf("coverage at α = %s", coverage_level) @at_left }
    unset key
    # Bars are vectors: with yerrorbars gnuplot paints a white disc behind every point, over what was drawn before.
    unset arrow
    set arrow from graph 0, first 1 - real(coverage_level) to graph 1, first 1 - real(coverage_level) nohead lw 1 lc rgb "#999999"
    plot for [m in drawn] "adaptivity.csv" using (column("decile") + shift(m)): \
           (selected(column("coverage"), m, d)) with lines lw 1.4 dt dash(m) lc rgb colour(m) notitle, \
         for [m in drawn] "adaptivity.csv" using (column("decile") + shift(m)): \
           (selected(column("coverage") - error(0), m, d)):(0):(2 * error(0)) \
           with vectors nohead lw 0.8 dt 1 lc rgb colour(m) notitle, \
         for [m in drawn] "adaptivity.csv" using (column("decile") + shift(m)): \
           (selected(column("coverage"), m, d)) with points pt mark(m) ps 0.5 * scale lw 0.8 lc rgb colour(m) notitle
    unset object
  }
  @key_strip
  plot for [m in drawn] NaN with linespoints pt mark(m) ps 0.45 * scale lw 1.5 dt dash(m) lc rgb colour(m) title long_label(m)
  unset multiplot
  set output
}
