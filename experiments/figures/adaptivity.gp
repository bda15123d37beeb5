# Coverage by decile of the local error. Reads adaptivity.csv. Run: gnuplot adaptivity.gp
load "names.gp"
load "style.gp"
n = words(adaptivity_datasets)
columns = n < 3 ? n : n == 4 ? 2 : 3
rows = (n + columns - 1) / columns
height = 230 * rows + 60
bottom = 56.0 / height
selected(value, m, d) = strcol("method") eq m && strcol("dataset") eq d && strcol("alpha") eq coverage_level ? value : NaN
stats "adaptivity.csv" using (strcol("alpha") eq coverage_level && has(drawn, strcol("method")) ? column("coverage") : NaN) \
  nooutput name "c"

do for [format in "svg pdf"] {
  if (format eq "svg") { set terminal svg size 900, height font "Helvetica,13" noenhanced background "#ffffff" }
  else { set terminal pdfcairo size 18cm, 18.0 * height / 900 cm font "Helvetica,10" noenhanced }
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
    set lmargin at screen (column_of + 0.16) / columns
    set rmargin at screen (column_of + 0.97) / columns
    set tmargin at screen 1 - (1 - bottom) * (row_of + 0.10) / rows
    set bmargin at screen 1 - (1 - bottom) * (row_of + 0.84) / rows
    set title d offset 0, -0.6
    set xlabel "decile of local error" offset 0, 0.5
    if (column_of == 0) { set ylabel sprintf("coverage at α = %s", coverage_level) offset 1 } else { unset ylabel }
    unset key
    unset arrow
    set arrow from graph 0, first 1 - real(coverage_level) to graph 1, first 1 - real(coverage_level) nohead lw 1 lc rgb "#999999"
    plot for [m in drawn] "adaptivity.csv" using "decile":(selected(column("coverage"), m, d)):"coverage_error" \
           with yerrorbars pt mark(m) ps 0.45 lw 0.8 lc rgb colour(m) notitle, \
         for [m in drawn] "adaptivity.csv" using "decile":(selected(column("coverage"), m, d)) \
           with lines lw 1.5 dt dash(m) lc rgb colour(m) notitle
  }
  set lmargin at screen 0.02; set rmargin at screen 0.98
  set bmargin at screen 0; set tmargin at screen bottom * 0.8
  unset arrow; unset border; unset tics; unset title; unset xlabel; unset ylabel; unset grid
  set key center center horizontal samplen 3 spacing 1.2 width 2
  set xrange [0:1]; set yrange [0:1]
  plot for [m in drawn] NaN with linespoints pt mark(m) ps 0.45 lw 1.5 dt dash(m) lc rgb colour(m) title long_label(m)
  unset multiplot
  set output
  load "style.gp"
}
