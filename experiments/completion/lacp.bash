# Completion of lacp for bash. The program says which words may come next, so nothing here goes stale.
_lacp() {
  local current=${COMP_WORDS[COMP_CWORD]} word
  [[ $current == '=' ]] && current=
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    case $word in
      :files | :folders)
        compopt -o filenames 2>/dev/null
        local kind=-f
        [[ $word == :folders ]] && kind=-d
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$kind" -- "$current")
        ;;
      *) COMPREPLY+=("$word") ;;
    esac
  done < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _lacp lacp
