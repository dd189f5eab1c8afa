//! The program: it reads the configuration, starts the log and the server or runs a subcommand, and sets the exit code.

use std::{error::Error, io::Write, process::ExitCode};

use tidebin::config::{Config, Invocation, configures_allocator};
use tidebin::http::{Server, ask, healthcheck, refuse_foreign, stop_flag, stop_signal};
use tidebin::maintenance::{backup, check, key, restore};
use tidebin::{allocator::return_freed_memory, clock::Clock, store::PAGES_FROM};

fn main() -> ExitCode {
    let ended = match Invocation::from_process() {
        Ok(Invocation::Serve(config)) => serve(*config),
        Ok(Invocation::Healthcheck(addr)) => healthcheck(addr).map_err(Into::into),
        Ok(Invocation::Backup(data, secret, file)) => backup(&data, secret, &file, &stop_flag()),
        Ok(Invocation::Restore(data, secret, file)) => refuse_foreign(&data, &[])
            .map_err(Into::into)
            .and_then(|()| restore(&data, secret, &file, &stop_flag())),
        Ok(Invocation::Check(data, config, shrink)) => check(&data, &config, shrink, &stop_flag()),
        Ok(Invocation::Key(file, command)) => key(&file, &command),
        Ok(Invocation::Ask(access, question)) => ask(&access, &question),
        Ok(Invocation::Print(text)) => write!(std::io::stdout(), "{text}").map_err(Into::into),
        Err(error) => Err(error.into()),
    };
    tidebin::log::flush();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "tidebin: {error}"); // the log may not be initialized yet
            ExitCode::FAILURE
        }
    }
}

fn serve(config: Config) -> Result<(), Box<dyn Error>> {
    return_freed_memory(PAGES_FROM, configures_allocator())?;
    tidebin::log::init(&config.log, config.log_format)?;
    let server = Server::bind(config, Clock::system())?;
    actix_web::rt::System::new().block_on(async { Ok(server.run(stop_signal()?).await?) })
}
