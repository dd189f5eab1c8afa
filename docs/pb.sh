# pb: save, list, read and delete pastes with curl. Get it with `curl -o ~/pb.sh URL/pb.sh`: then it saves on that
# server, or on the one that PB_URL names. Add `. ~/pb.sh` to ~/.profile.
#
#   make 2>&1 | pb              save standard input; prints the URL
#   pb -e 2h -b 1 notes.txt     save a file; it expires in 2 hours, and is deleted after 1 view
#   pb a.c b.log src            save several files and folders as one paste
#   pb -l rust -t main.rs       the language of what it saves, and its title
#   pb -p notes.txt             ask for a password to protect it with; -P FILE reads the password from a file
#   pb get URL                  read a paste; this uses up a view, and asks for the password if there is one
#   pb ask 'WiFi password?'     print where to ask for a secret in a browser
#   pb wait URL                 wait until a paste that you saved with pb is viewed, or has ended
#   pb ls                       list the pastes that you saved with pb
#   pb rm URL                   delete a paste that you saved with pb
#
# The tokens of your pastes are stored in ${XDG_DATA_HOME:-~/.local/share}/pb/tokens, one line "URL TOKEN" per paste,
# and the secrets that make you their owner in pb/owners, one line "SERVER SECRET" per server. Copy that line to list
# and delete your pastes from another machine. pb only adds lines to these files, so it may run several times at once.
# Delete the lines that you no longer need. If a server asks for a key, add the line "SERVER KEY" to pb/owners: a key,
# which starts with tbk_, counts before a secret, and pb sends it to that server with every request.
# curl gets tokens, secrets and passwords in files that only you can read, so `ps` does not show them. curl ignores
# ~/.curlrc: with `location` in it, a redirect would send the token to another server. The function is POSIX sh. It runs
# in a subshell, so it changes nothing in the shell that calls it. `command` runs a program, not your alias or function.
# shellcheck shell=sh
pb() (
  set +aeuxC; umask 077; tty='' action=save; export LC_ALL=C url='' server=''; [ -z "${ZSH_VERSION-}" ] || emulate sh
  usage='usage: pb [-e EXPIRY] [-b VIEWS] [-l LANGUAGE] [-t TITLE] [-p | -P PASSWORD_FILE] [FILE...]'
  usage="$usage | pb get [-P PASSWORD_FILE] URL | pb ask QUESTION | pb wait URL | pb ls | pb rm URL"
  ask() { tty=$(stty -g </dev/tty) && stty -echo </dev/tty && printf 'Password: ' >/dev/tty || exit 1
    command head -n 1 </dev/tty >"$dir/password"; stty "$tty" </dev/tty; echo >/dev/tty; }
  send() { : >body; code=$(command curl -q -gsS -D head -o body -w '%{http_code}' "$@"); result=$?
    case $action$code in *20[014] | get302 | wait410) ;; get401) asks || fail ;; *000) exit 1 ;; *) fail ;; esac; }
  fail() { { [ $# = 0 ] && command tr -cd '\n -~' <body | command grep . || echo "${1-pb: HTTP $code}"; } >&2; exit 1; }
  case ${TMPDIR-} in /*) ;; *) unset TMPDIR ;; esac; dir=$(command mktemp -d) || exit 1
  trap '[ -z "$tty" ] || stty "$tty" </dev/tty; command rm -rf "$dir"' EXIT; trap 'exit 1' HUP INT TERM
  case ${XDG_DATA_HOME-} in /*) ;; *) XDG_DATA_HOME=$HOME/.local/share ;; esac; tokens=$XDG_DATA_HOME/pb/tokens
  owner() { command awk '$1 == ENVIRON["server"] && (!it || it !~ /^tbk_/ && $2 ~ /^tbk_/) { it = $2 }
    END { if (it) print "Authorization: Bearer " it }' "${tokens%/*}/owners" 2>/dev/null >owner; [ -s owner ]; }
  key() { owner && command grep -q ' tbk_' owner; }; asks() { [ ! -e password ] && command grep -qi '^www.*: x-' head; }
  OPTIND=1 flags=e:b:l:t:pP:h-:; case ${1-} in ask|get|ls|rm|wait) action=$1 flags=P:h-:; shift ;; esac
  put() { printf %s "$OPTARG" >"$dir/$1"; }; while getopts "$flags" flag; do case $flag in e) put expires ;;
    b) put burn ;; l) put lang ;; t) put title ;; p) ask ;; P) command cat <"$OPTARG" >"$dir/password" || exit 1 ;;
    h | -) [ "$flag" = h ] || [ "$OPTARG" = help ] || fail "$usage"; echo "$usage"; exit ;; *) fail "$usage" ;; esac
  done; shift $((OPTIND - 1)); case $([ ! -d "${1-}" ] || echo /)$#$action:${1--} in [01]save:- | 0ls:-) ;;
    1[grw]*:http*://*) url=${1%%#*} ;; 1save:*) { [ -r "$1" ] && exec <"$1"; } || fail "pb: cannot read $1"
      [ -e "$dir/title" ] || OPTARG=${1##*/} put title ;; [1-9]ask:*) text=$* ;; *save:*) export COPYFILE_DISABLE=1
      set -- -cf "$dir/tar" -- "$@"; { command tar --owner=0 --group=0 --numeric-owner "$@" || command tar "$@"
      } 2>/dev/null || fail "pb: cannot read all of these files"; exec <"$dir/tar" ;; *) fail "$usage" ;; esac
  set --; command cd "$dir" || exit 1; server=${PB_URL:-http://127.0.0.1:8088}; server=${server%/}
  [ -z "$url" ] || server=${url%/*}; for field in title lang expires burn password; do
    [ ! -e "$field" ] || set -- "$@" -F "$field=<$field"; done; case $action in
    save) owner || { command mkdir -p "${tokens%/*}" && echo "$server tbo_$(command od -An -N16 -tx1 /dev/urandom |
        command tr -d ' \n')" >>"${tokens%/*}/owners"; owner; } 2>/dev/null; [ ! -s owner ] || set -- "$@" -H @owner
      send "$@" -F file=@- "$server"
      command awk 'NR == FNR { n = NR + NF; line = $0 } NR > FNR && tolower($1) == "x-token:" { line = line " " $2 }
        END { sub(/\r$/, "", line); if (n == 2 && line ~ /^https?:\/\/[!-~]+ [!-~]+$/) print line }' body head >token
      [ -s token ] || fail; { command mkdir -p "${tokens%/*}" && command cat token >>"$tokens"; } ||
        fail "pb: cannot write $tokens. To delete the paste you need its URL and token: $(command cat token)" ;;
    get) ! key || set -- "$@" -H @owner; send -X POST "$@" "$url"
      [ "$code" != 401 ] || { ask; send "$@" -F 'password=<password' "$url"; } ;;
    ls) owner || fail "pb: you saved nothing on $server"; send -H @owner "$server/mine" ;;
    ask) echo "$server/ask#$text" | command sed 's/%/%25/g; s/ /%20/g'; exit ;;
    *) command awk '$1 == ENVIRON["url"] { line = "X-Token: " $2 } END { if (line) print line }' "$tokens" >token
      { [ -s token ] && ! key; } || { owner && command cat owner >>token; } || fail "pb: no token for $url"
      if [ "$action" = rm ]; then send -X DELETE -H @token "$url"; else send -H @token "$url/stats"; code=204
        reads=0$(command sed -n '2s/[^0-9]//gp' body); while [ "$code" = 204 ]; do
          send --retry 9 --retry-connrefused -H @token "$url/stats?wait=9m&reads=$reads"; done
      fi ;; esac; command cat body && exit "$result"
)
