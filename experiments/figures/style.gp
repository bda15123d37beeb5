# What all figures share. Colours, dashes, marks and labels of the methods come from methods.csv, by names.gp.
set encoding utf8
has(list, item) = int(sum [i=1:words(list)] (word(list, i) eq item))
place(list, item) = int(sum [i=1:words(list)] (word(list, i) eq item ? i : 0))
style(list, m, other) = place(methods, m) ? word(list, place(methods, m)) : other
colour(m) = style(colours, m, "#777777")
dash(m) = int(style(dashes, m, "1"))
mark(m) = int(style(marks, m, "3"))
label(m) = style(labels, m, m)
# linear, exp and sigma are one method under three names; where lines would lie on each other exp stands for all.
shown(m) = (m eq "linear" && has(methods, "exp")) || (m eq "sigma" && (has(methods, "exp") || has(methods, "linear"))) \
           ? 0 : 1
# Of more methods than can be told apart, these.
chosen_of_many(m) = words(methods) <= 8 || has("fixed erc exp adapt_100 adapt knn_error cqr forest", m)
drawn = ""
do for [m in methods] { if (shown(m) && chosen_of_many(m)) { drawn = drawn . " " . m } }
long_label(m) = m eq "exp" && (has(methods, "linear") || has(methods, "sigma")) ? "exp = linear = sigma" : label(m)
set datafile separator ","
set datafile missing ""
set border 3 lw 0.8 lc rgb "#444444"
set format y "%g"  # without the blank for a sign
set tics nomirror out scale 0.6 textcolor rgb "#222222"

# `lacp` gives a picture its name when it is whole; by hand gnuplot writes it under its name.
output_file(name) = exists("temporary") ? temporary . "." . format . ".tmp" : name . "." . format

# Panels in a grid, key in a strip below; lengths in points (1/72 inch) of a page `width` wide.
width = 720.0
title_room = 26.0  # room above a panel, for its title
# The white of the svg is a rectangle behind the first panel, which the script unsets after it.
set_terminal = 'if (format eq "svg") { scale = 1.0; lift = 0.7; \
  set terminal svg size width, height font "Helvetica,13" noenhanced; \
  set object 1 rectangle from screen 0, 0 to screen 1, 1 behind fillcolor rgb "#ffffff" fillstyle solid noborder \
  } else { scale = 1.8; lift = 0.1; set terminal pdfcairo size width / 72 in, height / 72 in font "Helvetica,13" \
  fontscale 0.75 linewidth 1.2 noenhanced }'
panel_margins = 'set lmargin at screen (column_of + 72 * columns / width) / columns; \
  set rmargin at screen (column_of + 1 - 14 * columns / width) / columns; \
  set tmargin at screen 1 - (row_of * panel + title_room) / height; \
  set bmargin at screen 1 - (row_of * panel + panel - 58) / height'
at_left = 'at screen column_of / (1.0 * columns) + 10 / width, 1 - (row_of + 0.5) * panel / height + 13 / height \
  center rotate'
key_strip = 'unset label; set lmargin at screen 0.04; set rmargin at screen 0.96; set bmargin at screen 2 / height; \
  set tmargin at screen (strip - 2) / height; unset arrow; unset border; unset tics; unset title; unset xlabel; \
  unset ylabel; unset grid; unset logscale; set xrange [0:1]; set yrange [0:1]; \
  set key at graph 0.5, 0.5 center center vertical maxrows key_rows Left reverse samplen 2.5 spacing 1.1 width -1'
