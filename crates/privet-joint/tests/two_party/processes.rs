//! Runs across processes over TCP: First is the test, Second is a copy of the test's program.

use crate::aborts::Cut;
use crate::distribution::{p_value, place};
use crate::{ALPHA, PATIENCE, RUN, exclusive, table};
use privet_core::Generator;
use privet_joint::JointTable;
use privet_joint::two_party::{MemoryLedger, Role, run};
use privet_joint::wire::{Link, Sealed, TcpLink};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// Set for a process that plays Second: the address, the number of runs, p, rho, and the message before which it dies.
const PARTNER: &str = "PRIVET_TEST_PARTNER";
const PARTNER_EXIT: i32 = 42;

fn start_partner(address: SocketAddr, runs: usize, joint: (f64, f64), dies_before: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "processes::partner", "--nocapture", "--test-threads", "1"])
        .env(PARTNER, format!("{address} {runs} {} {} {dies_before}", joint.0, joint.1))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Not a test by itself: the other process.
#[test]
fn partner() {
    let Ok(orders) = std::env::var(PARTNER) else { return };
    let orders: Vec<_> = orders.split(' ').collect();
    let number = |which: usize| orders[which].parse::<f64>().unwrap();
    let joint = table(number(2), number(3));
    let mut rng = Generator::from_insecure_seed(601);
    let mut bits = String::new();
    for _ in 0..number(1) as usize {
        let link = TcpLink::connect(orders[0].parse().unwrap(), RUN, PATIENCE).unwrap();
        let link = Sealed::handshake(link, &mut rng).unwrap();
        let mut link = Cut { link: Some(link), messages_left: number(4) as usize };
        match run(Role::Second, &joint, &mut link, &mut rng, &mut MemoryLedger::default()) {
            Ok(bit) => bits.push(if bit.is_truthful() { '1' } else { '0' }),
            // As if killed: no message, no clean-up.
            Err(_) => std::process::exit(PARTNER_EXIT),
        }
    }
    println!("\nbits {bits}");
}

/// The bits that a partner printed.
fn bits_of(partner: Child) -> Vec<bool> {
    let output = String::from_utf8(partner.wait_with_output().unwrap().stdout).unwrap();
    let bits = output.lines().find_map(|line| line.strip_prefix("bits ")).expect("a partner prints its bits");
    bits.chars().map(|bit| bit == '1').collect()
}

fn accept(listener: &TcpListener, rng: &mut Generator) -> Sealed<TcpLink> {
    let (stream, _): (TcpStream, _) = listener.accept().unwrap();
    Sealed::handshake(TcpLink::from_stream(stream, RUN, PATIENCE).unwrap(), rng).unwrap()
}

/// Runs with another process; gives the counts of outcomes, bytes of a pair and milliseconds of a pair.
fn many_runs(joint: &JointTable, parameters: (f64, f64), runs: usize) -> ([u64; 4], u64, f64) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let partner = start_partner(listener.local_addr().unwrap(), runs, parameters, usize::MAX);
    let mut rng = Generator::from_insecure_seed(600);
    let (mut firsts, mut bytes, mut milliseconds) = (vec![], 0, 0.0);
    for _ in 0..runs {
        let (stream, _) = listener.accept().unwrap();
        let start = Instant::now();
        let link = TcpLink::from_stream(stream, RUN, PATIENCE).unwrap();
        let mut link = Sealed::handshake(link, &mut rng).unwrap();
        let bit = run(Role::First, joint, &mut link, &mut rng, &mut MemoryLedger::default()).unwrap();
        milliseconds += start.elapsed().as_secs_f64() * 1e3;
        firsts.push(bit.is_truthful());
        bytes = link.bytes_sent() + link.bytes_received();
    }
    let mut counts = [0; 4];
    let seconds = bits_of(partner);
    assert_eq!(seconds.len(), runs);
    firsts.into_iter().zip(seconds).for_each(|(first, second)| counts[place([first, second])] += 1);
    (counts, bytes, milliseconds / runs as f64)
}

#[test]
fn processes_that_run_together_follow_the_table() {
    let joint = table(0.7, -0.3);
    let (counts, bytes, _) = many_runs(&joint, (0.7, -0.3), 60);
    let got = p_value(&joint, counts);
    assert!(got > ALPHA, "{counts:?}: {got}");
    assert!(bytes < 100_000, "{bytes} bytes for a pair");
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn two_thousand_runs_across_processes() {
    for (p, rho) in [(0.7, -0.3), (0.75, 1.0 - 1.0 / 0.75)] {
        let joint = table(p, rho);
        let (counts, bytes, milliseconds) = many_runs(&joint, (p, rho), 2_000);
        let got = p_value(&joint, counts);
        println!("p {p} rho {rho}: {counts:?}, p-value {got}, {milliseconds:.2} ms and {bytes} bytes a pair");
        assert!(got > ALPHA, "{counts:?}: {got}");
        assert!(p_value(&table(0.7, 0.5), counts) < ALPHA, "the control was not found");
    }
}

#[test]
fn a_partner_killed_before_any_message_leaves_a_clean_error() {
    for dies_before in 0..=7 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let parameters = (0.75, 1.0 - 1.0 / 0.75);
        let partner = start_partner(listener.local_addr().unwrap(), 1, parameters, dies_before);
        let mut rng = Generator::from_insecure_seed(602);
        let mut link = accept(&listener, &mut rng);
        let outcome = run(Role::First, &exclusive(), &mut link, &mut rng, &mut MemoryLedger::default());
        let code = partner.wait_with_output().unwrap().status.code();
        assert_eq!(code, Some(if dies_before == 7 { 0 } else { PARTNER_EXIT }));
        match outcome {
            // The last message is one that Second only receives.
            Ok(_) => assert!(dies_before >= 6),
            Err(error) => {
                assert!(dies_before < 7);
                assert_eq!(error.is_retryable(), dies_before < 4, "{error}");
            }
        }
    }
}
