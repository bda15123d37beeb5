# Figure 1: intervals on the synthetic data sets. Reads figure1_<dataset>.csv. Run: gnuplot figure1.gp
load "names.gp"
load "style.gp"
bands_of(p) = value(sprintf("panel_methods_%d", p))
anywhere = ""
do for [p=1:words(panels)] { anywhere = anywhere . " " . bands_of(p) }
bands = ""
do for [m in drawn] { if (m ne "erc_error_fit" && has(anywhere, m)) { bands = bands . " " . m } }
columns = words(panels) > 1 ? 2 : 1
rows = (words(panels) + columns - 1) / columns
panel = 290.0
key_rows = 3
strip = 71.0
height = panel * rows + strip

do for [format in "svg pdf"] {
  reset
  load "style.gp"
  @set_terminal
  set output output_file("figure1")
  set multiplot
  do for [p=1:words(panels)] {
    name = word(panels, p)
    file = "figure1_" . name . ".csv"
    set autoscale  # stats sees only what lies in the ranges
    stats file using "y" nooutput name "y"
    stats file using "x" nooutput name "x"
    span = x_max - x_min
    step = span > 2.5 ? 1 : 0.5
    if (span > 1 && span < 8) { set xtics step } else { set xtics autofreq }
    bottom_y = y_min
    top_y = y_max
    known = has(banded, name)
    if (known) {
      stats file using "true_lower" nooutput name "low"
      stats file using "true_upper" nooutput name "high"
      if (low_min < bottom_y) { bottom_y = low_min }
      if (high_max > top_y) { top_y = high_max }
    }
    # Of each band at least half is seen.
    here = ""
    do for [m in bands] { if (has(bands_of(p), m)) { here = here . " " . m } }
    do for [m in here] {
      do for [end in "_lower _upper"] {
        stats file using (column(m . end)) nooutput name "band"
        if (band_median < bottom_y) { bottom_y = band_median }
        if (band_median > top_y) { top_y = band_median }
      }
    }
    margin = 0.12 * (top_y - bottom_y)
    set yrange [bottom_y - margin : top_y + margin]
    column_of = (p - 1) % columns
    row_of = (p - 1) / columns
    @panel_margins
    set title name offset 0, -0.6
    set xlabel "x" offset 0, lift
    set label 1 "y" @at_left
    unset key
    plot file using "x":(column(known ? "true_lower" : "f")):(column(known ? "true_upper" : "f")) with filledcurves fc rgb "#dddddd" notitle, \
         file using "x":"y" with points pt 7 ps 0.22 * scale lc rgb "#888888" notitle, \
         file using "x":"f" with lines lw 0.8 lc rgb "#999999" notitle, \
         for [m in here] file using "x":(column(m . "_lower")) with lines lw 1.6 dt dash(m) lc rgb colour(m) notitle, \
         for [m in here] file using "x":(column(m . "_upper")) with lines lw 1.6 dt dash(m) lc rgb colour(m) notitle
    unset object
  }
  @key_strip
  plot NaN with points pt 7 ps 0.5 * scale lc rgb "#888888" title "test points", \
       NaN with lines lw 0.8 lc rgb "#999999" title "prediction f(x)", \
       NaN with filledcurves fc rgb "#dddddd" \
         title (words(banded) ? sprintf("true %g %% band", 100 * (1 - real(interval_level))) : ""), \
       for [m in bands] NaN with lines lw 1.6 dt dash(m) lc rgb colour(m) title long_label(m)
  unset multiplot
  set output
}
