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
shift(i) = 0.3 * (i - (k + 1) / 2.0) / k
# What is drawn, once: data set, method, decile, coverage and its error, of which a single run has none. Every line below
# reads all of it.
set table $shown separator comma
plot "adaptivity.csv" using (place(adaptivity_datasets, strcol("dataset"))):(place(drawn, strcol("method"))): \
       (column("decile")):(column("coverage")):(valid(6) ? column("coverage_error") : 0) \
       with table if (strcol("alpha") eq coverage_level && has(drawn, strcol("method")))
unset table
selected(value, i, p) = column(1) == p && column(2) == i ? value : NaN
stats $shown using ($4 - $5) nooutput name "low"
stats $shown using ($4 + $5) nooutput name "high"

do for [format in "svg pdf"] {
  reset
  load "style.gp"
  @set_terminal
  set output output_file("adaptivity")
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
    plot for [i=1:k] $shown using ($3 + shift(i)):(selected($4, i, p)) \
           with lines lw 1.4 dt dash(word(drawn, i)) lc rgb colour(word(drawn, i)) notitle, \
         for [i=1:k] $shown using ($3 + shift(i)):(selected($4 - $5, i, p)):(0):(2 * $5) \
           with vectors nohead lw 0.8 dt 1 lc rgb colour(word(drawn, i)) notitle, \
         for [i=1:k] $shown using ($3 + shift(i)):(selected($4, i, p)) \
           with points pt mark(word(drawn, i)) ps 0.5 * scale lw 0.8 lc rgb colour(word(drawn, i)) notitle
    unset object
  }
  @key_strip
  plot for [m in drawn] NaN with linespoints pt mark(m) ps 0.45 * scale lw 1.5 dt dash(m) lc rgb colour(m) title long_label(m)
  unset multiplot
  set output
}
