# Mean rank by Winkler score over the data sets. Reads ranks.csv. Run: gnuplot ranks.gp
load "names.gp"
load "style.gp"
k = words(ranks_methods)
height = 21.0 * k + 146
longest = 0
do for [m in ranks_methods] { if (strlen(label(m)) > longest) { longest = strlen(label(m)) } }
side = (22 + 8.0 * longest) / width
ranked(value, m, like) = strcol("method") eq m && strcol("alpha") eq level && column("like_best") == like ? value : NaN

do for [format in "svg pdf"] {
  reset
  load "style.gp"
  @set_terminal
  set output output_file("ranks")
  set multiplot
  set xrange [0.5 : k + 0.5]
  set yrange [k + 0.7 : 0.3]
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
    unset label
    if (l == 1) { set label 2 "by Winkler score; filled: the best, or not significantly worse (Wilcoxon, Holm, 5 %)" at screen 0.5, screen 9 / height center font ",12" textcolor rgb "#666666" }
    unset key
    plot for [i=1:k] "ranks.csv" using (ranked(column("rank"), word(ranks_methods, i), 1)):(i) \
           with points pt 7 ps 0.8 * scale lc rgb colour(word(ranks_methods, i)) notitle, \
         for [i=1:k] "ranks.csv" using (ranked(column("rank"), word(ranks_methods, i), 0)):(i) \
           with points pt 6 ps 0.8 * scale lw 1.3 lc rgb colour(word(ranks_methods, i)) notitle
  }
  unset multiplot
  set output
}
