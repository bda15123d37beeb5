# Mean rank by Winkler score over the data sets, with the critical difference. Reads ranks.csv. Run: gnuplot ranks.gp
load "names.gp"
load "style.gp"
k = words(ranks_methods)
strip = 0.0
height = 21.0 * k + 146
longest = 0
do for [m in ranks_methods] { if (strlen(label(m)) > longest) { longest = strlen(label(m)) } }
side = (22 + 8.0 * longest) / width
ranked(value, m) = strcol("method") eq m && strcol("alpha") eq level ? value : NaN

do for [format in "svg pdf"] {
  reset
  load "style.gp"
  @set_terminal
  set output output_file("ranks")
  set multiplot
  set xrange [0.5 : k + 0.5]
  set yrange [k + 0.7 : -0.9]
  set xtics k > 12 ? 4 : k > 6 ? 2 : 1
  set mxtics 2
  set grid xtics lc rgb "#dddddd" lw 0.6
  set tmargin at screen 1 - 28 / height
  set bmargin at screen 70 / height
  do for [l=1:words(levels)] {
    level = word(levels, l)
    set lmargin at screen side + (l - 1) * (1 - side - 8 / width) / words(levels)
    set rmargin at screen side + (l - 0.06) * (1 - side - 8 / width) / words(levels)
    set title "α = " . level offset 0, -0.6
    set xlabel "mean rank, 1 is best" offset 0, lift
    unset ytics
    if (l == 1) { set for [i=1:k] ytics (label(word(ranks_methods, i)) i) scale 0 }
    # Whoever lies on the grey band does not differ from the best in Nemenyi's test of all pairs.
    unset label
    if (l == 1) { set label 2 "by Winkler score; grey: within the critical difference (CD) of the best, by Nemenyi's test of all pairs" at screen 0.5, screen 9 / height center font ",12" textcolor rgb "#666666" }
    best = real(word(ranks_best, l))
    set object 2 rectangle from first best, first -0.05 to first best + critical_difference, graph 0 behind \
      fillcolor rgb "#eeeeee" fillstyle solid noborder
    unset arrow
    set arrow from first best, first -0.05 to first best + critical_difference, first -0.05 heads size screen 0.005, 90 lw 1.3 lc rgb "#444444"
    set label 1 sprintf("CD %.2f", critical_difference) at first best + critical_difference / 2, first -0.45 center font ",12"
    unset key
    plot for [i=1:k] "ranks.csv" using (ranked(column("rank"), word(ranks_methods, i))):(i) \
           with points pt mark(word(ranks_methods, i)) ps 0.8 * scale lw 1.3 lc rgb colour(word(ranks_methods, i)) notitle
    unset object
  }
  unset multiplot
  set output
}
