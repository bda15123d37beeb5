# `lacp predict --figure`: intervals of single rows. Its data is $rows: x, f, two ends a band, and the truth, where it is
# known.
columns = 1
key_rows = (words(bands) + 4 + 2 * has_truth) / 4
strip = 10.0 + 18 * key_rows
panel = 350.0
height = panel + strip
column_of = 0
row_of = 0
@set_terminal
@panel_margins
set tmargin at screen 1 - 14 / height
set lmargin at screen 84 / width  # of "1.5e+14"
set rmargin at screen 1 - 48 / width
set xrange [0:bars + 1]
set yrange [bottom:top]
set xlabel x_label offset 0, lift
set label 1 y_label @at_left
set key at screen 0.5, (0.5 * strip + 2) / height center center vertical maxrows key_rows Left reverse samplen 2 spacing 1.1
set style fill solid noborder
truth_style = "points pt 6 ps 0.3 * scale lw 1.2 lc rgb '#1F6FB2'"
miss_style = "points pt 7 ps 0.4 * scale lc rgb '#C8102E'"
truth(row) = has_truth ? column(3 + 2 * words(shades)) : NaN
is_missed(row) = truth(0) < column(3) || truth(0) > column(4)  # outside of the widest band
f_style = "lines lw 1.4 lc rgb '#222222'"
plot for [b=1:words(shades)] $rows using 1:2:($1 - 0.5):($1 + 0.5):(column(1 + 2 * b)):(column(2 + 2 * b)) with boxxyerror \
       fc rgb word(shades, b) notitle, \
     $rows using 1:2 with @f_style notitle, \
     $rows using 1:(truth(0)) with @truth_style notitle, \
     $rows using 1:(is_missed(0) ? truth(0) : NaN) with @miss_style notitle, \
     NaN with @f_style title "prediction f", \
     for [b=1:has_truth] NaN with @truth_style title "truth", \
     for [b=1:has_truth] NaN with @miss_style title miss_label, \
     for [b=1:words(shades)] NaN with boxes fc rgb word(shades, b) title word(bands, b)
