//! The function `pb` in shells with settings, aliases and functions of their own.

use super::in_every_shell;

#[test]
#[ignore = "needs curl"]
fn the_calling_shell_is_left_as_it_was() {
    in_every_shell(|_server, shell| {
        shell.write("file", "text");
        let script = "
umask 027; set -aC; trap 'echo ended' EXIT; url=mine dir=mine code=mine OPTIND=1
state() { umask; pwd; echo \"$-\"; echo \"$url $dir $code ${tokens-none} $OPTIND\"; trap; command -v send ask fail || :; }
state >before
pb file >saved
pb get \"$(cat saved)\" >printed
pb rm \"$(cat saved)\" >>printed
pb -x 2>message || :
state >after
cmp before after
";
        assert_eq!(shell.run(script).text(), "ended\n");
    });
}

#[test]
#[ignore = "needs curl"]
fn aliases_and_functions_of_the_user_do_not_matter() {
    in_every_shell(|server, shell| {
        let script = "
[ -z \"${BASH_VERSION-}\" ] || shopt -s expand_aliases
for name in awk cat cd curl grep head mkdir mktemp mv rm tr; do
  alias $name=\"echo alias $name\"
done
. ./pb.sh
unalias -a
for name in awk cat cd curl grep head mkdir mktemp mv rm tr; do
  eval \"$name() { echo function $name; }\"
done
echo text | pb -e 2h >saved
read -r url <saved
pb get \"$url\"
pb rm \"$url\" >deleted
pb get \"$url\" 2>message || echo ended
";
        assert_eq!(shell.run(script).text(), "text\nended\n");
        let url = shell.read("saved");
        let path = url.trim_end().rsplit('/').next().unwrap_or_default();
        let sentence = server.get(&format!("/{path}"));
        assert_eq!(shell.read("message"), sentence.text());
    });
}

#[test]
#[ignore = "needs curl"]
fn relative_folders_of_the_environment_are_ignored() {
    in_every_shell(|_server, shell| {
        let script = "
mkdir elsewhere
cd elsewhere
export CDPATH=. TMPDIR=. XDG_DATA_HOME=data
echo text | pb >../saved
pb get \"$(cat ../saved)\"
ls
pb rm \"$(cat ../saved)\" >../deleted
";
        assert_eq!(shell.run(script).text(), "text\n");
        assert!(shell.tokens().starts_with(shell.read("saved").trim_end()));
    });
}

#[test]
#[ignore = "needs curl"]
fn a_symbolic_link_to_the_tokens_stays() {
    in_every_shell(|_server, shell| {
        let script = "
mkdir -p notes .local/share/pb
ln -s ../../../notes/tokens .local/share/pb/tokens
echo text | pb >saved
pb rm \"$(cat saved)\" >deleted
test -L .local/share/pb/tokens
cat notes/tokens
";
        let stored = shell.run(script).text();
        assert!(stored.starts_with(shell.read("saved").trim_end()));
    });
}

#[test]
#[ignore = "needs curl"]
fn several_files_and_a_folder_are_one_paste() {
    in_every_shell(|server, shell| {
        let script = "
mkdir -p 'a b/c'
echo one >'a b/c/one.txt'
echo two >-two
pb -t tide -- 'a b' -two >saved
pb get \"$(cat saved)\" | tar t | grep -v /$
pb 'a b' >folder
pb missing -two 2>message || echo failed
";
        let printed = shell.run(script).text();
        assert_eq!(printed, "a b/c/one.txt\n-two\nfailed\n");
        for (saved, file, content) in [
            ("saved", "-two", "two\n"),
            ("folder", "a%20b/c/one.txt", "one\n"),
        ] {
            let url = shell.read(saved);
            let path = url.trim_end().rsplit('/').next().unwrap_or_default();
            assert_eq!(server.get(&format!("/{path}/{file}")).text(), content);
        }
        let message = shell.read("message");
        assert!(
            message == "pb: cannot read all of these files\n",
            "{message}"
        );
    });
}

#[test]
#[ignore = "needs curl"]
fn a_question_is_led_to_the_browser_which_has_the_keys() {
    in_every_shell(|server, shell| {
        for line in ["pb ask 'WiFi 5% password?'", "pb ask WiFi 5% 'password?'"] {
            let printed = shell.run(line).text();
            let expected = format!("http://{}/ask#WiFi%205%25%20password?\n", server.addr);
            assert_eq!(printed, expected);
        }
    });
}
