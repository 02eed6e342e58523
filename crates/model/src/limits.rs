//! Every limit of the product, in one place. Hitting one is an error that names it.

/// Texts of one step that an embedder may fail at before it is the embedder that fails.
pub const EMBED_FAILURES_MAX: usize = 16;

/// Bytes of one text: an observation, a claim, a payload, a result.
pub const TEXT_BYTES_MAX: usize = 1 << 20;
/// Bytes of one name: a memory, channel, handle, subject, namespace, kind or external id.
pub const NAME_BYTES_MAX: usize = 512;
/// Claims that one observation may carry.
pub const STATEMENTS_MAX: usize = 256;
/// Bytes of the metadata of one write: those of its texts and keys, and 8 for any other value.
pub const METADATA_BYTES_MAX: usize = 64 << 10;
/// Lists and objects of metadata, or of a filter, inside one another.
pub const METADATA_DEPTH_MAX: usize = 16;
/// Hits that pages of one answer may leave out before the page that is asked for.
pub const RECALL_OFFSET_MAX: usize = 100_000;
/// Literals of one claim.
pub const LITERALS_MAX: usize = 64;
/// Premises of one justification, beliefs of one decision.
pub const PREMISES_MAX: usize = 1024;
/// Items that one event says a run was shown; a read of more takes several.
pub const SHOWN_ITEMS_MAX: usize = 1024;
/// Seconds without a read or a write after which an agent that names no run starts another one.
pub const RUN_IDLE_SECONDS: i64 = 1_800;
/// Hits that one recall returns.
pub const RECALL_HITS_MAX: usize = 1000;
/// Refused documents that one search names.
pub const RECALL_EXCLUDED_MAX: usize = 100;
/// Distinct words of one query that are looked up; the first ones are.
pub const QUERY_TOKENS_MAX: usize = 256;
/// Rows of one page of a list.
pub const PAGE_ROWS_MAX: usize = 1000;
/// Entries of each list of an incident, where incidents are listed; one by itself has all.
pub const INCIDENT_IDS_MAX: usize = 20;
/// Bytes of a fallen claim for which a task proposes new words.
pub const PROPOSAL_BYTES_MAX: usize = 4096;
/// Messages of an ingestion, or of a screening of many, whose reports are listed.
pub const SCREENED_MAX: usize = 100;
/// Commands that one commit groups.
pub const GROUP_COMMIT_MAX: usize = 256;
/// Attempts at one reversal before it is `reversal_failed`.
pub const REVERSAL_ATTEMPTS_MAX: u32 = 5;
/// Seconds before the second attempt at a reversal; doubled each time.
pub const REVERSAL_BACKOFF_SECONDS: u32 = 2;
/// Steps of one search for a smallest set of memories, in chokepoints: an edge looked at, or a
/// member of a set compared.
pub const CUT_STEPS_MAX: u64 = 20_000_000;
/// Steps of one scan, for finding who is behind beliefs and again for counting what hangs on
/// them: a justification looked at.
pub const SCAN_STEPS_MAX: u64 = 5_000_000;
/// Beliefs of a single origin that one scan ranks.
pub const SCAN_BELIEFS_MAX: usize = 1000;
/// Beliefs that may share a word for `scan` to compare them by their words.
pub const SCAN_SHARING_MAX: usize = 64;
/// Bytes of one line of a graph that is imported.
pub const GRAPH_LINE_BYTES_MAX: usize = 8 << 20;
/// Nodes of one event of an import; a larger graph takes several, in one commit.
pub const GRAPH_PART_NODES_MAX: usize = 4096;
/// Bytes of content in one event of an import, give or take one node.
pub const GRAPH_PART_BYTES_MAX: usize = 4 << 20;
/// Bytes of log that an opening folds on top of the kept state before it is kept anew: some
/// thousand events.
pub const KEPT_STATE_TAIL_BYTES: u64 = 1 << 20;
/// The share of the kept state that may lie on top of it as log when a memory is closed, if that
/// is more: writing it has to pay.
pub const KEPT_STATE_SHARE: u64 = 32;
/// The same while a memory is open.
pub const KEPT_STATE_SHARE_AT_WORK: u64 = 4;
/// Documents that a first question adds to the kept index before it is kept anew.
pub const KEPT_INDEX_DOCUMENTS: usize = 4096;
/// The share of the kept index that may be added so, if that is more.
pub const KEPT_INDEX_SHARE: usize = 32;
/// Attempts at one call of a model's endpoint, the first included.
pub const MODEL_ATTEMPTS_MAX: u32 = 3;
/// Milliseconds before the second attempt; doubled each time.
pub const MODEL_BACKOFF_MILLISECONDS: u64 = 250;
/// Seconds that an endpoint may ask to wait before the next attempt.
pub const MODEL_WAIT_SECONDS_MAX: u64 = 60;
/// Seconds that one call may take, answer included, unless a setting says otherwise.
pub const MODEL_TIMEOUT_SECONDS: u64 = 60;
/// Bytes of one answer of an endpoint.
pub const MODEL_REPLY_BYTES_MAX: u64 = 1 << 20;
/// Calls of one endpoint that are under way at once.
pub const MODEL_CALLS_AT_ONCE: usize = 4;
/// Bytes of a text that is sent to a model.
pub const MODEL_TEXT_BYTES_MAX: usize = 32 << 10;
/// Bytes of the words of a text that a model quotes for one claim.
pub const MODEL_QUOTE_BYTES_MAX: usize = 1000;
/// Texts in a row for which an endpoint may fail before it is asked no more.
pub const MODEL_FAILURES_MAX: u32 = 3;
/// Tokens that a model may write where it answers from memories, unless a setting says otherwise.
pub const ORACLE_REPLY_TOKENS_MAX: u64 = 1024;
/// Seconds that a command may take which answers from memories, or judges an answer, unless a
/// setting says otherwise.
pub const ORACLE_TIMEOUT_SECONDS: u64 = 60;
/// Bytes of the answer of such a command.
pub const ORACLE_ANSWER_BYTES_MAX: usize = 64 << 10;
/// Texts of which the extractive reader keeps what it read.
pub const ORACLE_TEXTS_MAX: usize = 4096;
/// Texts that are sent to an endpoint for their vectors in one call.
pub const EMBED_BATCH_TEXTS_MAX: usize = 64;
/// Bytes of those texts together; a longer text is sent alone.
pub const EMBED_BATCH_BYTES_MAX: usize = 256 << 10;
/// Bytes of one answer with vectors: 64 of 4,096 dimensions, written out.
pub const EMBED_REPLY_BYTES_MAX: u64 = 8 << 20;
/// Tokens of a text that a model behind an endpoint reads, unless a setting says otherwise.
pub const EMBED_WINDOW_TOKENS: usize = 512;
/// Sources that are compared on one subject, to find copies; what more of them say there is
/// remembered and not compared.
pub const COPY_SOURCES_MAX: usize = 4096;
/// The last subjects of a source by which it is compared with others.
pub const COPY_SUBJECTS_MAX: usize = 512;
/// Pairs of sources that one write compares.
pub const COPY_PAIRS_MAX: usize = 8;
/// Pairs of sources that one write compares again, in turn.
pub const COPY_PAIRS_AGAIN: usize = 4;
/// Statements of others that one write looks through, to find the pairs that it compares again.
pub const COPY_STATEMENTS_MAX: usize = 4096;
/// Words of a text by which it is compared with earlier ones.
pub const COPY_WORDS_MAX: usize = 1024;
/// Earlier observations whose text one write compares.
pub const COPY_TEXTS_MAX: usize = 4;
/// Dimensions of the vectors of one index.
pub const VECTOR_DIMENSIONS_MAX: usize = 4096;
/// Vectors that one search reads to tell its best ones apart, or so many as it is asked for if
/// that is more; beyond it, it answers by the codes alone.
pub const VECTORS_READ_MAX: usize = 4096;
/// Memories among which one attribution looks for causes.
pub const ATTRIBUTION_CANDIDATES_MAX: usize = 1000;
/// Answers that one attribution asks for.
pub const ATTRIBUTION_CALLS_MAX: usize = 10_000;
/// Answers that one attribution asks for, unless a caller says otherwise.
pub const ATTRIBUTION_CALLS: usize = 500;
/// Bytes of one answer of an oracle that are written down; the rest is cut.
pub const ATTRIBUTION_ANSWER_BYTES_MAX: usize = 4096;
/// Runs of base64, hexadecimal digits and the like that are decoded in one text.
pub const MESH_DECODED_RUNS_MAX: usize = 32;
/// How often what was decoded is decoded again.
pub const MESH_DECODED_DEPTH_MAX: usize = 2;
/// Messages of one call of a model that the mesh looks at.
pub const MESH_MESSAGES_MAX: usize = 1024;
/// The last tokens of an agent that are looked for in what it says.
pub const MESH_CANARIES_MAX: usize = 256;
/// Scores by which the mesh knows how much an agent usually repeats.
pub const MESH_BASELINE_SCORES_MAX: usize = 50;
/// Scores below which it is not known.
pub const MESH_COLD_SCORES: usize = 5;
/// Seconds within which a span has to go its way for the way to count.
pub const MESH_WINDOW_SECONDS: u32 = 7 * 86_400;
/// Prints whose way is known at a time.
pub const MESH_WINDOW_PRINTS_MAX: usize = 1 << 16;
/// Agents whose carrying of one print is known.
pub const MESH_PRINT_AGENTS_MAX: usize = 32;
/// The last outputs of an agent that are taken together.
pub const MESH_LATELY_MAX: usize = 4;
/// Words of which it is counted how many texts have them.
pub const MESH_COMMON_WORDS_MAX: usize = 1 << 16;
/// Texts of clean exchanges by which it is known what many senders write.
pub const MESH_USUAL_TEXTS_MAX: usize = 256;
/// Prints of one antibody.
pub const MESH_ANTIBODY_PRINTS_MAX: usize = 256;
/// Antibodies of one mesh.
pub const MESH_ANTIBODIES_MAX: usize = 4096;
/// Days after which an antibody ends.
pub const MESH_ANTIBODY_DAYS: u32 = 90;
/// Texts that antibodies blocked and that stay blocked.
pub const MESH_BLOCKED_TEXTS_MAX: usize = 1 << 16;
/// Incidents that a mesh holds at a time; the log has all.
pub const MESH_INCIDENTS_MAX: usize = 1 << 16;
/// The last exchanges of an agent whose runs are known to the mesh.
pub const MESH_EXCHANGES_MAX: usize = 64;
/// Exchanges after which what the mesh learned is kept beside the store.
pub const MESH_KEPT_EXCHANGES: u32 = 64;
/// Bytes of one line that `mesh screen` and `mesh observe` read.
pub const MESH_LINE_BYTES_MAX: usize = 16 << 20;
/// Agents of which a mesh knows what is usual and what they carried.
pub const MESH_IDENTITIES_MAX: usize = 1 << 16;
