//! The words of the help that are not beside an option: the commands by what they are for, and
//! the examples.

/// The commands by what they are for. A test compares them with the commands that there are.
pub(crate) const COMMANDS: &str = "\
The memory path:  remember  derive  recall  challenge  forget  guard
What comes in:    ingest  screen  compare
The questions:    explain  history  blast  origins  chokepoint  scan  diff
What is there:    list  record  watch  runs
Who may:          channels  sources  areas  rules
The response:     flag  unflag  incidents  reinstate  reversals  tasks
Which memory:     attribute  parole  redteam
Which agent:      mesh
The stories:      demo  rehearse  bench
Operate:          graph  export  import  backup  reindex  calibrate  verify  doctor  completions  man  version";

/// The help of the program begins with examples.
pub(crate) const ROOT_LONG: &str = "\
Examples:
  immune remember --from ops@acme.example --channel inbox --tier 0.7 \\
      --about refund.destination --claim 'Refunds go to DE89370400440532013000'
  immune recall 'where do refunds go?'
  immune challenge --from ledger --about refund.destination \\
      --claim 'Refunds go to GB29NWBK60161331926819'

The memory path:
  remember     content arrives from a source
  derive       an agent concludes something from what stands
  recall       what may be believed about a question, and what was left out
  challenge    say that what is believed is false; a system of record refutes
  forget       close a belief or an observation without refuting it
  guard        run an action only if what it relies on stands
What comes in:
  ingest       read a mailbox, a table or JSON lines
  screen       what would become of a text, and why; nothing is written
  compare      two claims side by side: what is read in each, and which of them decides
The questions:
  explain      why an item is what it is, and what was built on it
  history      every event and transition of an item, in order
  blast        what rests on an item, and what would fall with it
  origins      who is behind it, and whose loss takes it down
  chokepoint   where all that leads from one item to another passes
  scan         what falls with one origin, and how to harden it
  diff         two moments compared
What is there:
  record       a profile: the fields below a prefix
  list         beliefs, sources, actions, incidents and the rest, in pages
  watch        the change stream, with tokens that resume
  runs         what runs were shown, and what they wrote
Who may:
  channels     how content arrives, and how far it is trusted at most
  sources      who speaks; declare one, name a system of record
  areas        how fast what is stated in an area loses weight
  rules        what is asked of an action before it runs
The response:
  flag         a source, an observation or a belief that is not to be believed
  unflag       take the flags of an item back
  incidents    what was refuted or flagged, and all that followed
  tasks        what has fallen and waits to be derived again
  reinstate    undo an incident that was a mistake
  reversals    run the compensations that are due
Which memory:
  attribute    which memories made an answer wrong; what to quarantine
  parole       test a quarantined belief again, and release it if nothing speaks against it
  redteam      attack a memory that is made for it, and grade how it heals
Which agent:
  mesh         text that copies itself from agent to agent: found, stopped, remembered
The stories:
  demo         a lie, what it costs, and how the memory heals
  rehearse     the demo twice, compared byte for byte
  bench        measure, beside databases on the same data
Operate:
  graph        import a graph, see what stands in it, export one
  export       write the whole memory as one stream
  import       take up a memory that was exported
  backup       copy the store while it is in use
  reindex      whose vectors recall goes by, with all of them made anew
  calibrate    how near is near in meaning, read off the texts of the memory
  verify       read the whole log, replay it, compare
  doctor       check the installation, one fix for each finding
  completions  scripts for the shells
  man          man pages, one for each command
  version      of the program and of the log that it writes";

/// The layout of the program's help.
pub(crate) const ROOT: &str = "\
{about-with-newline}
{before-help}{usage-heading} {usage}

{options}";

/// The layout of a command's help: examples lead.
pub(crate) const COMMAND: &str = "\
{about-with-newline}
{before-help}{usage-heading} {usage}

{all-args}{after-help}";

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_help_names_every_command_and_no_other() {
        let program = super::super::Cli::command();
        let mut there: Vec<_> = program
            .get_subcommands()
            .map(|it| it.get_name().to_owned())
            .collect();
        there.sort_unstable();
        let words = |text: &str| {
            let after = text.lines().filter_map(|it| it.split_once(':'));
            let mut words: Vec<String> = after
                .flat_map(|(_, names)| names.split_whitespace())
                .map(str::to_owned)
                .collect();
            words.sort_unstable();
            words
        };
        assert_eq!(words(COMMANDS), there);
        for name in &there {
            assert!(ROOT_LONG.contains(&format!("\n  {name} ")), "{name}");
        }
    }

    #[test]
    fn every_command_leads_with_three_examples() {
        let program = super::super::Cli::command();
        for command in program.get_subcommands() {
            let examples = command
                .get_before_long_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            let lines = examples.lines().filter(|it| it.starts_with("  immune "));
            assert!(lines.count() >= 3, "{}", command.get_name());
        }
    }

    #[test]
    fn the_definitions_hold_together() {
        super::super::Cli::command().debug_assert();
    }
}
