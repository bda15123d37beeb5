# `lacp evaluate --figure`: the histogram of the PIT. Its data is $bins: middle and share; 95 of 100 shares lie no farther than
# by_chance from 0.1 if the distribution is right.
width = 520.0
columns = 1
strip = 46.0
panel = 320.0
height = panel + strip
column_of = 0
row_of = 0
@set_terminal
@panel_margins
set tmargin at screen 1 - 14 / height
set xrange [0:1]
set yrange [0:top]
set xtics 0.1
set xlabel "share of the quantiles below y (PIT)" offset 0, lift
set label 1 share_label @at_left
set key at screen 0.5, (0.5 * strip + 2) / height center center vertical maxrows 2 Left reverse samplen 2.5
set style fill solid noborder
low = by_chance < 0.1 ? 0.1 - by_chance : 0
high = 0.1 + by_chance
$edges << EOD
0
1
EOD
plot $edges using 1:(low):(high) with filledcurves fc rgb "#dddddd" notitle, \
     $bins using 1:2:(0.08) with boxes fc rgb shade notitle, \
     0.1 with lines lw 1.4 lc rgb "#222222" title "if it is right", \
     low with lines lw 1 dt 2 lc rgb "#222222" notitle, \
     high with lines lw 1 dt 2 lc rgb "#222222" title "95 % of the bars by chance"
