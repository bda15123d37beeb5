# Figure 1: intervals on the synthetic data sets. Reads figure1_<dataset>.csv. Run: gnuplot figure1.gp
load "names.gp"
load "style.gp"
bands = ""
do for [m in drawn] { if (m ne "erc_error_fit") { bands = bands . " " . m } }
columns = words(panels) > 1 ? 2 : 1
rows = (words(panels) + columns - 1) / columns
height = 270 * rows + 60
bottom = 64.0 / height

do for [format in "svg pdf"] {
  if (format eq "svg") { set terminal svg size 900, height font "Helvetica,13" noenhanced background "#ffffff" }
  else { set terminal pdfcairo size 18cm, 18.0 * height / 900 cm font "Helvetica,10" noenhanced }
  set output "figure1." . format
  set multiplot
  do for [p=1:words(panels)] {
    panel = word(panels, p)
    file = "figure1_" . panel . ".csv"
    stats file using "true_lower" nooutput name "low"
    stats file using "true_upper" nooutput name "high"
    stats file using "y" nooutput name "y"
    bottom_y = low_min < y_min ? low_min : y_min
    top_y = high_max > y_max ? high_max : y_max
    margin = 0.12 * (top_y - bottom_y)
    set yrange [bottom_y - margin : top_y + margin]
    column_of = (p - 1) % columns
    row_of = (p - 1) / columns
    set lmargin at screen (column_of + 0.075) / columns
    set rmargin at screen (column_of + 0.98) / columns
    set tmargin at screen 1 - (1 - bottom) * (row_of + 0.09) / rows
    set bmargin at screen 1 - (1 - bottom) * (row_of + 0.89) / rows
    set title panel offset 0, -0.6
    set xlabel "x" offset 0, 0.6
    set ylabel "y" offset 1.2
    unset key
    plot file using "x":"true_lower":"true_upper" with filledcurves fc rgb "#dddddd" notitle, \
         file using "x":"y" with points pt 7 ps 0.22 lc rgb "#888888" notitle, \
         file using "x":"f" with lines lw 0.8 lc rgb "#999999" notitle, \
         for [m in bands] file using "x":(column(m . "_lower")) with lines lw 1.6 dt dash(m) lc rgb colour(m) notitle, \
         for [m in bands] file using "x":(column(m . "_upper")) with lines lw 1.6 dt dash(m) lc rgb colour(m) notitle
  }
  # The key has a strip of its own below the panels.
  set lmargin at screen 0.02; set rmargin at screen 0.98
  set bmargin at screen 0; set tmargin at screen bottom * 0.9
  unset border; unset tics; unset title; unset xlabel; unset ylabel
  set key center center horizontal samplen 3 spacing 1.2 width 2
  set xrange [0:1]; set yrange [0:1]
  plot NaN with points pt 7 ps 0.5 lc rgb "#888888" title "test points", \
       NaN with lines lw 0.8 lc rgb "#999999" title "prediction f(x)", \
       NaN with filledcurves fc rgb "#dddddd" title "true band", \
       for [m in bands] NaN with lines lw 1.6 dt dash(m) lc rgb colour(m) title long_label(m)
  unset multiplot
  set output
  set autoscale x
  load "style.gp"
}
