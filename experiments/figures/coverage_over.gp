# `lacp evaluate --over COLUMN --figure`: coverage by tenths of the rows. Its data is $tenths: place, coverage, and the range in
# which it lies by chance but for one tenth of a hundred.
width = 520.0
columns = 1
strip = 46.0
panel = 380.0
height = panel + strip
column_of = 0
row_of = 0
@set_terminal
@panel_margins
set tmargin at screen 1 - 14 / height
set bmargin at screen (strip + 130) / height
set xrange [0.4:10.6]
set yrange [0:1]
set xtics rotate by 45 right
set label 2 over at screen 0.5, (strip + 14) / height center
set label 1 "coverage" @at_left
set key at screen 0.5, (0.5 * strip + 2) / height center center vertical maxrows 2 Left reverse samplen 2.5
set style fill solid noborder
plot $tenths using 1:2:(0.8) with boxes fc rgb shade notitle, \
     promised with lines lw 1.4 lc rgb "#222222" title "promised", \
     $tenths using 1:(has_range ? $3 : NaN) with lines lw 1 dt 2 lc rgb "#222222" notitle, \
     $tenths using 1:(has_range ? $4 : NaN) with lines lw 1 dt 2 lc rgb "#222222" title has_range ? "99 % of the bars by chance" : ""
