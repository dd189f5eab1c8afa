//! The codes against a naive twin, and the promise to clients that ask for few.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;

fn at(seconds: u64) -> Timestamp {
    Timestamp::since_epoch(Duration::from_secs(seconds))
}

fn client(network: u64, client: u64) -> ClientKey {
    ClientKey { network, client }
}

fn secret(number: u64) -> OwnerSecret {
    OwnerSecret::from_random(u128::from(number).to_be_bytes())
}

fn code(number: u64) -> DeviceCode {
    DeviceCode::from_random((number << 4).to_be_bytes())
}

fn take(codes: &mut DeviceCodes, now: u64, number: u64) -> Option<String> {
    let secret = codes.take(at(now), code(number))?;
    Some(secret.as_str().to_owned())
}

#[test]
fn a_code_is_valid_once_and_for_ten_minutes() {
    let mut codes = DeviceCodes::default();
    let mine = Some(secret(1).as_str().to_owned());
    for (asked, used, found) in [(0, 0, &mine), (0, 599, &mine), (1000, 1600, &None)] {
        codes.add(at(asked), client(1, 1), secret(1), code(7));
        assert_eq!(take(&mut codes, used, 8), None);
        assert_eq!(take(&mut codes, used, 7), *found, "{asked} {used}");
        assert_eq!(take(&mut codes, used, 7), None);
    }
}

#[test]
fn an_owner_has_one_code_the_last() {
    let mut codes = DeviceCodes::default();
    codes.add(at(0), client(1, 1), secret(1), code(1));
    codes.add(at(0), client(2, 2), secret(2), code(2));
    codes.add(at(1), client(3, 3), secret(1), code(3));
    assert_eq!(take(&mut codes, 1, 1), None);
    assert!(take(&mut codes, 1, 2).is_some() && take(&mut codes, 1, 3).is_some());
    assert!(codes.codes.is_empty());
}

#[test]
fn a_client_that_asks_for_very_many_takes_none_from_others() {
    let mut codes = DeviceCodes::default();
    codes.add(at(0), client(1, 1), secret(0), code(0));
    codes.add(at(0), client(2, 1), secret(1), code(1));
    for number in 2..4000 {
        codes.add(at(0), client(2, 2), secret(number), code(number));
    }
    assert_eq!(codes.codes.values().count(), DeviceCodes::MOST);
    assert!(take(&mut codes, 0, 0).is_some() && take(&mut codes, 0, 1).is_some());
    assert!(take(&mut codes, 0, 2).is_none() && take(&mut codes, 0, 3999).is_some());
}

#[test]
fn codes_that_are_malformed_or_too_long_are_not_read() {
    let mut codes = DeviceCodes::default();
    for number in 0..1024 {
        let secret = format!("tbo_{number:0128}");
        let secret = OwnerSecret::parse(&secret).unwrap();
        codes.add(at(0), client(1, 1), secret, code(number));
    }
    let bytes = codes.to_bytes();
    assert_eq!(bytes.len(), DeviceCodes::MOST_BYTES);
    for length in [1, 32, 33, 34, bytes.len() - 1] {
        assert!(
            DeviceCodes::from_bytes(&bytes[..length]).is_none(),
            "{length}"
        );
    }
    assert!(DeviceCodes::from_bytes(&bytes[..bytes.len() / 2]).is_some());
}

/// The codes in a list, the oldest first: code, owner, client, time.
#[derive(Default)]
struct Naive(Vec<(u64, u64, ClientKey, u64)>);

impl Naive {
    fn add(&mut self, now: u64, client: ClientKey, owner: u64, code: u64) {
        self.0.retain(|it| now - it.3 < 600 && it.1 != owner);
        self.0.push((code, owner, client, now));
        // The new code counts for its client, but it does not leave itself.
        while self.0.len() > DeviceCodes::MOST {
            let weight =
                |is_in: &dyn Fn(ClientKey) -> bool| self.0.iter().filter(|it| is_in(it.2)).count();
            let oldest = |client| self.0.iter().position(|it| it.2 == client);
            let victim = |network: u64| {
                let within = self.0.iter().map(|it| it.2);
                let within = within.filter(|client| client.network == network);
                let order = |it: &ClientKey| (weight(&|key| key == *it), Reverse(oldest(*it)));
                within.max_by_key(order).and_then(oldest)
            };
            let networks: BTreeSet<_> = self.0.iter().map(|it| it.2.network).collect();
            let order = |it: &u64| (weight(&|key| key.network == *it), Reverse(victim(*it)));
            let network = networks.into_iter().max_by_key(order).unwrap();
            let oldest = victim(network).unwrap();
            self.0.remove(oldest);
        }
    }

    fn take(&mut self, now: u64, code: u64) -> Option<u64> {
        self.0.retain(|it| now - it.3 < 600);
        let found = self.0.iter().position(|it| it.0 == code)?;
        Some(self.0.remove(found).1)
    }
}

#[test]
fn codes_come_and_go_as_a_list_says() {
    let step = (0..4_u64, 0..3_u64, 0..40_u64, 0..60_u64, 0..3_u8);
    let steps = (1000..1024_u64, prop::collection::vec(step, 0..100));
    // A step looks at about a thousand codes, so there are few cases.
    let cases = ProptestConfig::default().cases.div_ceil(32);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
    let tested = runner.run(&steps, |(full, steps)| {
        let (mut codes, mut naive) = (DeviceCodes::default(), Naive::default());
        // The list is nearly full from the start.
        for number in 0..full {
            let client = client(number % 5, number % 3);
            codes.add(
                at(0),
                client,
                secret(1_000_000 + number),
                code(1_000_000 + number),
            );
            naive.add(0, client, 1_000_000 + number, 1_000_000 + number);
        }
        let mut now = 0;
        for (number, (network, host, owner, later, kind)) in steps.into_iter().enumerate() {
            now += later / 4;
            let number = number as u64;
            if kind == 0 {
                let expected = naive
                    .take(now, number / 2)
                    .map(|owner| secret(owner).as_str().to_owned());
                prop_assert_eq!(take(&mut codes, now, number / 2), expected);
            } else {
                codes.add(at(now), client(network, host), secret(owner), code(number));
                naive.add(now, client(network, host), owner, number);
            }
            // When another machine reads them
            if !number.is_multiple_of(16) {
                continue;
            }
            codes = DeviceCodes::from_bytes(&codes.to_bytes()).unwrap();
            let kept: Vec<_> = codes
                .codes
                .latest_first()
                .into_iter()
                .rev()
                .map(|it| it.code.to_string())
                .collect();
            let expected: Vec<_> = naive.0.iter().map(|it| code(it.0).to_string()).collect();
            prop_assert_eq!(kept, expected);
        }
        Ok(())
    });
    tested.unwrap();
}
