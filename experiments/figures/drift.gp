# Coverage of 300 rows in a row over time, of rows that drift. Reads over_time.csv of `folder`. Run: gnuplot -e "folder='…'" drift.gp
methods = ""
load "style.gp"
format = "svg"
data = folder . "/over_time.csv"
datasets = system("awk -F, 'NR > 2 && !seen[$1]++ { print $1 }' " . data)
blocks = system("awk -F, 'NR > 2 && !seen[$2]++ { print $2 }' " . data)
block = word(blocks, words(blocks))
columns = 1
key_rows = 3
strip = 92.0
panel = 240.0
height = panel * words(datasets) + strip
ways = "'the fit alone' 'all rows, per side' 'the newest 500, one threshold' 'the newest 500, per side'"
keys = "'nothing,' 'all rows,each' 'window 500,both' 'window 500,each'"
colours = "#777777 #e69f00 #56b4e9 #0072b2"
thick = "1.4 1.4 1.4 2.2"
drawn_row(d, i) = strcol("dataset") eq d && strcol("block") eq block && \
                  strcol("mechanism") . "," . strcol("sides") eq word(keys, i)
@set_terminal
set output folder . "/figures/drift.svg"
set multiplot
set grid ytics lc rgb "#dddddd" lw 0.6
set yrange [0:1]
set ytics 0.2
column_of = 0
do for [p=1:words(datasets)] {
  row_of = p - 1
  @panel_margins
  last = system("awk -F, '$1 == \"" . word(datasets, p) . "\" { last = $5 } END { print last }' " . data) + 0
  set xrange [0:1.03 * last]
  set xtics last > 8000 ? 2500 : 1000
  set title word(datasets, p) . ", targets in blocks of " . block offset 0, -0.6
  set xlabel "rows after those of the fit" offset 0, lift
  set label 1 "coverage, last 300 rows" @at_left
  unset key
  plot for [i=1:4] data using "row":(drawn_row(word(datasets, p), i) ? column("coverage") : NaN) \
         with lines lw word(thick, i) + 0 lc rgb word(colours, i), \
       0.9 with lines lw 1 dt 2 lc rgb "#222222"
  unset object
}
@key_strip
plot for [i=1:4] NaN with lines lw word(thick, i) + 0 lc rgb word(colours, i) title word(ways, i), \
     NaN with lines lw 1 dt 2 lc rgb "#222222" title "0.9"
unset multiplot
set output
