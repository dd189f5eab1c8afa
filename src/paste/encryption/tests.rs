//! Tests of encryption and decryption.

use super::*;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

const RANDOM: [u8; SALT + NONCE] = [7; SALT + NONCE];

fn memory() -> KeyMemory {
    KeyMemory::new().expect("seven MiB")
}

fn encrypt(
    password: &Password,
    random: [u8; SALT + NONCE],
    title: Option<&Title>,
    content: &[u8],
) -> Vec<u8> {
    super::encrypt(password, random, title, content, &mut memory())
}

fn decrypt(password: &Password, encrypted: &[u8]) -> Option<(Content, Option<Title>)> {
    super::decrypt(password, encrypted, &mut memory())
}

#[test]
fn the_previous_contents_of_the_key_memory_do_not_matter() {
    let (mut used, password) = (memory(), password(b"right"));
    let encrypt = |memory: &mut KeyMemory| super::encrypt(&password, RANDOM, None, b"a", memory);
    let first = encrypt(&mut used);
    assert_eq!(encrypt(&mut used), first);
    assert_eq!(used.0.len() * size_of::<Block>(), KeyMemory::BYTES);
}

fn password(bytes: &[u8]) -> Password {
    Password::new(bytes).expect("a password")
}

fn holds(encrypted: &[u8], part: &[u8]) -> bool {
    encrypted.windows(part.len()).any(|window| window == part)
}

#[test]
fn a_password_is_1_to_1024_bytes_of_any_kind() {
    assert_eq!(Password::new(b"").err(), Some(SizeError::Empty));
    assert!(Password::new(b"\0").is_ok());
    assert!(Password::new(&[0xff; 1024]).is_ok());
    assert_eq!(
        Password::new(&[b'a'; 1025]).err(),
        Some(SizeError::TooLarge)
    );
}

#[test]
fn the_encrypted_bytes_are_those_of_libsodium() {
    let random: [u8; 40] = std::array::from_fn(|at| u8::try_from(at).unwrap());
    let encrypted = encrypt(
        &password(b"correct horse"),
        random,
        Title::new("notes.txt").as_ref(),
        b"salt and nonce\n",
    );
    let ciphertext: String = encrypted[40..]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(
        ciphertext,
        "7979875e8ff4b8d9b889bbbf0d7a72fc6eec3f473730a664dcfbd0e038d152b411d4e78dfc2e904380b6"
    );
}

#[test]
fn a_changed_or_missing_byte_gives_the_same_error_as_a_wrong_password() {
    let right = password(b"right");
    let encrypted = encrypt(&right, RANDOM, Title::new("a").as_ref(), b"content");
    let last = encrypted.len() - 1;
    for at in [0, SALT, SALT + NONCE + 2, last] {
        let mut changed = encrypted.clone();
        changed[at] ^= 1;
        assert_eq!(decrypt(&right, &changed), None, "{at}");
    }
    for length in [0, SALT + NONCE + TAG - 1, last] {
        let cut = decrypt(&right, &encrypted[..length]);
        assert_eq!(cut, None, "{length}");
    }
    assert_eq!(decrypt(&password(b"rigth"), &encrypted), None);
}

#[test]
fn a_plaintext_without_a_valid_title_of_its_stated_length_is_refused() {
    for plaintext in [&b""[..], b"\x01", b"\x01\0", b"\x02\0a", b"\x01\0\xff1"] {
        assert_eq!(parts_of(plaintext), None, "{plaintext:?}");
    }
}

#[test]
fn the_same_content_encrypted_twice_has_nothing_in_common() {
    let password = password(b"right");
    let first = encrypt(&password, RANDOM, None, b"content");
    for at in [0, SALT] {
        let mut random = RANDOM;
        random[at] ^= 1;
        let second = encrypt(&password, random, None, b"content");
        assert!(!holds(&second, &first[SALT + NONCE..][..4]), "{at}");
    }
}

#[test]
fn encrypted_bytes_are_exactly_as_long_as_they_have_to_be() {
    let encrypted = encrypt(&password(b"p"), RANDOM, None, b"content");
    assert_eq!([encrypted.len(), encrypted.capacity()], [58 + 7; 2]);
}

#[test]
fn neither_password_nor_content_is_printed() {
    let decrypted = parts_of(b"\x01\0titled");
    assert_eq!(
        format!("{:?} {decrypted:?}", password(b"secret")),
        "Password(secret) Some((Content { bytes: secret, encoding: Utf8 }, Some(Title(secret))))"
    );
}

#[test]
fn only_the_password_decrypts_a_paste_and_restores_it_unchanged() {
    let bytes = |sizes| proptest::collection::vec(any::<u8>(), sizes);
    let random = proptest::array::uniform32(any::<u8>());
    let pastes = (
        bytes(1..64),
        random,
        "\\PC{0,300}",
        bytes(1..2000),
        any::<u8>(),
    );
    // Each password costs a derivation of its key, so there are few cases.
    let cases = ProptestConfig::default().cases.div_ceil(32);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
    let tested = runner.run(&pastes, |(secret, random, title, content, other)| {
        let random: [u8; 40] = std::array::from_fn(|at| random[at % 32]);
        let (right, title) = (password(&secret), Title::new(&title));
        let encrypted = encrypt(&right, random, title.as_ref(), &content);
        let (opened, opened_title) = decrypt(&right, &encrypted).unwrap();
        prop_assert_eq!(&opened_title, &title);
        prop_assert_eq!(&opened.bytes()[..], &content[..]);

        let wrong = password(&[&secret[..], &[other]].concat());
        prop_assert_eq!(decrypt(&wrong, &encrypted), None);

        // Short parts may occur in the encrypted bytes by chance; eight bytes never do.
        let title = title.as_ref().map_or("", Title::as_str);
        for part in [&secret, &content, title.as_bytes()] {
            prop_assert!(part.len() < 8 || !holds(&encrypted, part));
        }
        Ok(())
    });
    tested.unwrap();
}
