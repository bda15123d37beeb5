// For the type checker (scripts/check_page.sh) alone: what vendor/ adds to the page.
import * as plot from "@observablehq/plot";
import * as d3_all from "d3";

declare global {
  const Plot: typeof plot;
  const d3: typeof d3_all;
}
