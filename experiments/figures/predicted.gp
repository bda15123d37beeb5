# `lacp predict --figure`: intervals of single rows. Its data is $rows: x, the edges of the bar there, f, two ends a band,
# and the truth, where it is known.
columns = 1
key_rows = (words(bands) + 4 + has_truth) / 4
strip = 10.0 + 18 * key_rows
panel = 350.0
height = panel + strip
column_of = 0
row_of = 0
@set_terminal
@panel_margins
set tmargin at screen 1 - 14 / height
set lmargin at screen 84 / width  # of "1.5e+14"
set xrange [left:right]
set yrange [bottom:top]
eval x_marks
set xlabel x_label offset 0, lift
set label 1 y_label @at_left
set key at screen 0.5, (0.5 * strip + 2) / height center center vertical maxrows key_rows Left reverse samplen 2 spacing 1.1
set style fill solid noborder
truth_style = "points pt 6 ps 0.3 * scale lw 1.2 lc rgb '#1F6FB2'"
f_style = over eq "" ? "lines lw 1.4 lc rgb '#222222'" : "points pt 7 ps 0.22 * scale lc rgb '#222222'"
plot for [b=1:words(shades)] $rows using 1:4:2:3:(column(3 + 2 * b)):(column(4 + 2 * b)) with boxxyerror \
       fc rgb word(shades, b) notitle, \
     $rows using 1:4 with @f_style notitle, \
     $rows using 1:(has_truth ? column(5 + 2 * words(shades)) : NaN) with @truth_style notitle, \
     NaN with @f_style title "prediction f", \
     for [b=1:has_truth] NaN with @truth_style title "truth", \
     for [b=1:words(shades)] NaN with boxes fc rgb word(shades, b) title word(bands, b)
