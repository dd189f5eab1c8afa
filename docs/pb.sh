# pb: save, read and delete pastes with curl. Add `. ~/pb.sh` to ~/.profile, and set PB_URL to the URL of your server.
#
#   make 2>&1 | pb              save standard input; prints the URL
#   pb -e 2h -b 1 notes.txt     save a file; it expires in 2 hours, and is deleted after 1 view
#   pb -p notes.txt             ask for a password to protect it with; -P FILE reads the password from a file
#   pb get URL                  read a paste; this uses up a view, and asks for the password if there is one
#   pb rm URL                   delete a paste that you saved with pb
#
# The tokens of your pastes are stored in ${XDG_DATA_HOME:-~/.local/share}/pb/tokens, one line "URL TOKEN" per paste.
# curl gets tokens and passwords in files that only you can read, so `ps` does not show them. The function is POSIX sh.
# It runs in a subshell, so it changes nothing in the shell that calls it.
# shellcheck shell=sh
pb() (
  set +aeuxC; umask 077; [ -z "${ZSH_VERSION-}" ] || emulate sh
  usage='usage: pb [-e EXPIRY] [-b VIEWS] [-p | -P PASSWORD_FILE] [FILE]
       pb get [-P PASSWORD_FILE] URL | pb rm URL'
  ask() { tty=$(stty -g </dev/tty) && stty -echo </dev/tty && printf 'Password: ' >/dev/tty || exit 1
    head -n 1 </dev/tty >"$dir/password"; stty "$tty" </dev/tty; echo >/dev/tty; }
  send() { : >body; code=$(curl -gsS -D head -o body -w '%{http_code}' "$@") || exit 1; }
  fail() { if [ -s "$dir/body" ]; then cat "$dir/body"; else printf '%s\n' "${1:-pb: HTTP $code}"; fi >&2; exit 1; }
  OPTIND=1 tty='' tokens=${XDG_DATA_HOME:-$HOME/.local/share}/pb/tokens action=save flags=e:b:pP:h; export url=''
  case ${1-} in get | rm) action=$1 flags=P:h; shift ;; esac; dir=$(mktemp -d) || exit 1
  trap '[ -z "$tty" ] || stty "$tty" </dev/tty; rm -rf "$dir"' EXIT; trap 'exit 1' HUP INT TERM
  while getopts "$flags" flag; do case $flag in
    e) printf %s "$OPTARG" >"$dir/expires" ;; b) printf %s "$OPTARG" >"$dir/burn" ;; p) ask ;;
    P) cat <"$OPTARG" >"$dir/password" || exit 1 ;; h) echo "$usage"; exit ;; *) fail "$usage" ;;
  esac; done; shift $((OPTIND - 1))
  case $#$action:${1--} in [01]save:-) ;; 1get:http*://* | 1rm:http*://*) url=$1 ;;
    1save:*) { [ -r "$1" ] && [ ! -d "$1" ]; } || fail "pb: cannot read $1"; exec <"$1"
      printf %s "${1##*/}" >"$dir/title" ;; *) fail "$usage" ;; esac; cd "$dir" || exit 1; set --
  for field in title expires burn password; do [ ! -e "$field" ] || set -- "$@" -F "$field=<$field"; done
  case $action in
    save) send "$@" -F file=@- "${PB_URL:-http://127.0.0.1:8088}"; url=$(cat body)
      awk 'tolower($1) == "x-token:" { sub(/\r/, ""); print ENVIRON["url"], $2 }' head >token; [ -s token ] || fail
      { mkdir -p "${tokens%/*}" && touch "$tokens" && chmod 600 "$tokens" && cat token >>"$tokens"; } || fail ;;
    get) send -X POST "$@" "$url"; [ "$code" != 401 ] || [ -e password ] ||
      { ask; send -F 'password=<password' "$url"; }; [ "$code" = 200 ] || [ "$code" = 302 ] || fail ;;
    rm) awk '$1 == ENVIRON["url"] { print "X-Token: " $2 }' "$tokens" >token
      [ -s token ] || fail "pb: no token for $url"; send -X DELETE -H @token "$url"; [ "$code" = 200 ] || fail
      awk '$1 != ENVIRON["url"]' "$tokens" >"$tokens.new" && mv "$tokens.new" "$tokens" || exit 1 ;;
  esac; cat body
)
