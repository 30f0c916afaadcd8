// What people with SQL look at. Times are as the records have them: ISO texts, or epoch seconds where a document or an event
// has one. The second migration makes them, and the fifth once more, over what is in the tail as well; what was released is never
// changed.
import { ATTEMPT_ENDS, UNFINISHED_DOCUMENT } from '../tables/view-states.ts'

/** A field of a job: as it is by now, or else as it was at first, or else the usual. */
function ofJob(field: string, usual = 'null'): string {
  return `coalesce(job.moving -> '$.job.${field}', job.fixed -> '$.job.${field}', '${usual}') ->> '$' AS ${field}`
}

/** A field of a step; a few are those of its new job, if nothing else is said. */
function ofStep(field: string, usual = 'null'): string {
  return `coalesce(step.moving -> '$.${field}', step.fixed -> '$.${field}', '${usual}') ->> '$' AS ${field}`
}

function asItsJob(field: string): string {
  return `coalesce(step.moving -> '$.${field}', step.fixed -> '$.${field}', step.job -> '$.${field}', 'null') ->> '$' AS ${field}`
}

const JOB_FIELDS = [
  'job.tenant_id',
  'job.job_id',
  'job.state',
  'job.request_type',
  'job.protocol_id',
  'job.doc_id',
  'job.run_id',
  'job.workstream_id',
  'job.open_rows AS open_outbox_rows',
  ofJob('priority', '2'),
  ofJob('current_step_id'),
  ofJob('current_step_index', '0'),
  ofJob('attempts_total', '0'),
  ofJob('state_since'),
  ofJob('idempotency_key'),
  ofJob('depends_on', '[]'),
  ofJob('on_dependency_failure', '"fail"'),
  ofJob('run_at'),
  ofJob('expires_at'),
  ofJob('due_at'),
  ofJob('again_of'),
  ofJob('schedule_id'),
  ofJob('tags', '[]'),
  ofJob('input_ref'),
  ofJob('output_ref'),
  ofJob('payload'),
  ofJob('correlation_id'),
  ofJob('traceparent'),
  ofJob('resolved_mode', '"DEFAULT"'),
  ofJob('lane'),
  ofJob('created_at'),
  ofJob('updated_at'),
  ofJob('completed_at'),
  ofJob('error_code'),
  ofJob('error_message'),
  'job.version',
]

const STEP_FIELDS = [
  asItsJob('tenant_id'),
  asItsJob('job_id'),
  ofStep('step_id'),
  'step.step_index',
  ofStep('step_type'),
  ofStep('service'),
  ofStep('delivery'),
  ofStep('queue'),
  ofStep('state'),
  asItsJob('state_since'),
  ofStep('attempt_no', '0'),
  ofStep('released', '0'),
  ofStep('lease_id'),
  ofStep('lease_expires_at'),
  ofStep('holder'),
  ofStep('ack_deadline_at'),
  ofStep('retry_at'),
  asItsJob('input_ref'),
  asItsJob('output_ref'),
  ofStep('result_ref'),
  ofStep('output'),
  ofStep('last_error_code'),
  ofStep('last_error_message'),
  asItsJob('created_at'),
  asItsJob('updated_at'),
  ofStep('completed_at'),
]

const ROW_FIELDS = [
  'tenant_id',
  'outbox_id',
  'job_id',
  'step_id',
  'attempt_no',
  'lease_id',
  'state',
  'state_since',
  'topic',
  'partition',
  'tries',
  'taken_until',
  'next_try_at',
  'last_error_code',
  'last_error_message',
  'created_at',
  'updated_at',
  'sent_at',
  'payload',
]

const RECORD_VIEWS = {
  documents: [
    'document',
    'doc_id',
    'updated_at',
    'adapter',
    'metadata',
    'retry_count',
    'max_retries',
    'error_type',
    'error_message',
  ],
  runs: ['run', 'run_id', 'state_since', 'metadata', 'created_at', 'updated_at', 'completed_at'],
  workstreams: [
    'workstream',
    'workstream_id',
    'run_id',
    'state_since',
    'metadata',
    'created_at',
    'updated_at',
    'completed_at',
  ],
  queues: ['queue', 'queue', 'state_since', 'concurrency', 'rate', 'created_at', 'updated_at'],
  schedules: [
    'schedule',
    'schedule_id',
    'state_since',
    'cron',
    'timezone',
    'request',
    'overlap',
    'catch_up',
    'next_at',
    'retry_at',
    'last_at',
    'last_job_id',
    'last_error_code',
    'last_error_message',
    'created_at',
    'updated_at',
  ],
  // Without the hash: whoever looks at views has no use for it.
  tokens: [
    'token',
    'token_id',
    'state_since',
    'name',
    'role',
    'tenants',
    'expires_at',
    'created_at',
    'updated_at',
  ],
} as const

function recordView(name: keyof typeof RECORD_VIEWS, table: string): string {
  const [kind, id, ...fields] = RECORD_VIEWS[name]
  const columns = fields.map((field) => `body ->> '$.${field}' AS ${field}`)
  return `
CREATE VIEW ${name} AS
SELECT tenant_id, id AS ${id}, state, ${columns.join(', ')}, version
FROM ${table} WHERE kind = '${kind}';`
}

function rowFields(text: string): string {
  return ROW_FIELDS.map((field) => `${text} ->> '$.${field}' AS "${field}"`).join(', ')
}

/** Positions within patterns and entries are part of the format; see entry-codec.ts. */
const events = (tail: string): string => `
CREATE VIEW events AS
SELECT
  entry.first_seq + entry.before + state.key - 1 AS seq,
  entry.pattern ->> 0 AS event,
  entry.pattern ->> 1 AS tenant_id,
  entry.pattern ->> 2 AS kind,
  concat(entry.own ->> 1, entry.pattern ->> 3) AS id,
  entry.own ->> 4 AS doc_id,
  CASE WHEN entry.pattern ->> 3 IS NULL THEN entry.own ->> 5 ELSE entry.own ->> 1 END AS job_id,
  entry.pattern -> 4 ->> (state.key - 1) AS old_state,
  state.value AS new_state,
  entry.pattern ->> 5 AS timestamp,
  entry.pattern ->> 6 AS adapter,
  CASE WHEN state.key = entry.hops THEN entry.pattern ->> 7 END AS error_type,
  CASE WHEN state.key = entry.hops THEN entry.pattern ->> 8 END AS error_message,
  CASE WHEN state.key = entry.hops THEN entry.pattern ->> 9 END AS traceback,
  entry.pattern ->> 10 AS retry_count,
  entry.pattern ->> 11 AS max_retries,
  CASE WHEN state.key = 1 THEN entry.own ->> 2 ELSE 0 END AS duration_seconds,
  CASE WHEN entry.pattern ->> 14 IS NULL THEN entry.own -> 3
    ELSE json_object('step_id', entry.pattern ->> 14, 'attempt_no', entry.pattern ->> 15, 'lease_id', json(entry.own -> 3))
    END AS metadata,
  entry.pattern ->> 12 AS actor,
  entry.pattern ->> 13 AS reason
FROM (
  SELECT
    told.first_seq,
    told.own,
    told.pattern,
    json_array_length(told.pattern, '$[4]') - 1 AS hops,
    sum(json_array_length(told.pattern, '$[4]') - 1) OVER (PARTITION BY told.first_seq ORDER BY told.nth)
      - json_array_length(told.pattern, '$[4]') + 1 AS before
  FROM (
    SELECT part.first_seq, each.key AS nth, each.value AS own,
      part.entries -> ('$.patterns[' || (each.value ->> 0) || ']') AS pattern
    FROM (SELECT first_seq, entries FROM log UNION ALL ${tail}) AS part,
      json_each(part.entries, '$.entries') AS each
  ) AS told
) AS entry, json_each(entry.pattern, '$[4]') AS state
WHERE state.key > 0;`

/** An attempt begins when its number is first told of and ends with the first state that ends it. */
const ATTEMPTS = `
CREATE VIEW step_attempts AS
WITH told AS (
  SELECT seq, tenant_id, job_id, metadata ->> '$.step_id' AS step_id, metadata ->> '$.attempt_no' AS attempt_no,
    metadata ->> '$.lease_id' AS lease_id, new_state, timestamp, error_type, error_message
  FROM events
  WHERE kind = 'step' AND event = 'moved' AND metadata ->> '$.attempt_no' > 0
), begun AS (
  SELECT tenant_id, job_id, step_id, attempt_no, lease_id, timestamp, min(seq) AS seq
  FROM told GROUP BY tenant_id, job_id, step_id, attempt_no
), ended AS (
  SELECT tenant_id, job_id, step_id, attempt_no, new_state, timestamp, error_type, error_message, min(seq) AS seq
  FROM told WHERE new_state IN (${ATTEMPT_ENDS})
  GROUP BY tenant_id, job_id, step_id, attempt_no
)
SELECT begun.tenant_id, begun.job_id, begun.step_id, begun.attempt_no, begun.lease_id,
  begun.timestamp AS started_at, ended.timestamp AS ended_at, ended.new_state AS outcome,
  ended.error_type, ended.error_message
FROM begun LEFT JOIN ended USING (tenant_id, job_id, step_id, attempt_no);`

const stuck = (record: string): string => `
CREATE VIEW stuck_documents AS
SELECT tenant_id, id AS doc_id, state, adapter, changed_at / 1000.0 AS since,
  (unixepoch('subsec') * 1000 - changed_at) / 3600000.0 AS hours
FROM ${record}
WHERE kind = 'document' AND state IN (${UNFINISHED_DOCUMENT})
  AND changed_at <= unixepoch('subsec') * 1000 - 3600000;`

/** The tables that they look into. */
interface Sources {
  readonly job: string
  readonly record: string
  readonly closed: string
  /** What the log has of the tail. */
  readonly tail: string
}

const RECORDS = ['documents', 'runs', 'workstreams', 'queues', 'schedules', 'tokens'] as const

const viewsOf = ({ job, record, closed, tail }: Sources): string => `
CREATE VIEW jobs AS
SELECT ${JOB_FIELDS.join(',\n  ')}
FROM ${job};

CREATE VIEW steps AS
SELECT ${STEP_FIELDS.join(',\n  ')}
FROM (
  SELECT job.fixed -> '$.job' AS job, each.key AS step_index, each.value AS fixed,
    job.moving -> ('$.steps.' || each.key) AS moving
  FROM ${job}, json_each(job.fixed, '$.steps') AS each
  UNION ALL
  -- Stages that were reported later are not among what the job was at first.
  SELECT job.fixed -> '$.job', CAST(each.key AS INTEGER), NULL, each.value
  FROM ${job}, json_each(job.moving, '$.steps') AS each
  WHERE CAST(each.key AS INTEGER) >= json_array_length(job.fixed, '$.steps')
) AS step;

CREATE VIEW outbox AS
SELECT ${rowFields('body')} FROM ${closed}
UNION ALL
SELECT ${rowFields('each.value')} FROM ${job}, json_each(job.moving, '$.outbox') AS each WHERE job.open_rows > 0;
${RECORDS.map((name) => recordView(name, record)).join('\n')}
${events(tail)}
${ATTEMPTS}
${stuck(record)}
`

export const VIEWS_2 = viewsOf({
  job: 'job',
  record: 'record',
  closed: 'closed_outbox',
  tail: 'SELECT first_seq, entries FROM tail',
})

/** Jobs and records by now: as they are where they are found, or as the tail has them last. */
const NOW = `
CREATE VIEW job_now AS
WITH moved AS (
  SELECT each.value ->> '$[1][0]' AS tenant_id, each.value ->> '$[0]' AS job_id, each.value ->> '$[1][1]' AS version,
    each.value ->> '$[1][3]' AS state, each.value ->> '$[1][6]' AS open_rows, each.value -> '$[2]' AS moving
  FROM tail_now AS tail, json_each(tail.part, '$[5]') AS each
  UNION ALL
  -- Those that went the same way, as below: the name comes before what stands between the pieces.
  SELECT run.value ->> '$[0][0][0]', own.value ->> 0, run.value ->> '$[0][0][1]', run.value ->> '$[0][0][3]',
    run.value ->> '$[0][0][6]',
    (SELECT group_concat(piece.value || CASE WHEN piece.key < json_array_length(run.value, '$[1]') - 1
        THEN own.value -> (piece.key + 1) ELSE '' END, '' ORDER BY piece.key)
      FROM json_each(run.value, '$[1]') AS piece)
  FROM tail_now AS tail, json_each(tail.part, '$[3]') AS run, json_each(run.value) AS own WHERE own.key > 1
), changed AS (
  SELECT tenant_id, job_id, max(version) AS version, state, open_rows, moving FROM moved GROUP BY 1, 2
), known AS (
  SELECT tenant_id, job_id, version, state, open_rows, request_type, protocol_id, doc_id, run_id, workstream_id, fixed, moving
  FROM job
  UNION ALL
  SELECT each.value ->> '$[1][0]', each.value ->> '$[0]', each.value ->> '$[1][1]', each.value ->> '$[1][2]',
    each.value ->> '$[1][5]', each.value ->> '$[1][6]', each.value ->> '$[1][7]', each.value ->> '$[1][8]',
    each.value ->> '$[1][9]', each.value ->> '$[1][10]', each.value -> '$[2]', each.value -> '$[3]'
  FROM tail_now AS tail, json_each(tail.part, '$[4]') AS each
  UNION ALL
  -- Those that are alike: what they say is the pieces, and between them each one's own.
  SELECT run.value ->> '$[0][0][0]', own.value ->> (run.value ->> '$[0][4]'), run.value ->> '$[0][0][1]',
    run.value ->> '$[0][0][2]', run.value ->> '$[0][0][5]', run.value ->> '$[0][0][6]', run.value ->> '$[0][0][7]',
    run.value ->> '$[0][0][8]', run.value ->> '$[0][0][9]', run.value ->> '$[0][0][10]',
    (SELECT group_concat(piece.value || coalesce(own.value -> piece.key, ''), '' ORDER BY piece.key)
      FROM json_each(run.value, '$[1]') AS piece), NULL
  FROM tail_now AS tail, json_each(tail.part, '$[2]') AS run, json_each(run.value) AS own WHERE own.key > 1
)
SELECT known.tenant_id, known.job_id, coalesce(changed.version, known.version) AS version,
  coalesce(changed.state, known.state) AS state, coalesce(changed.open_rows, known.open_rows) AS open_rows,
  known.request_type, known.protocol_id, known.doc_id, known.run_id, known.workstream_id, known.fixed,
  coalesce(changed.moving, known.moving) AS moving
FROM known LEFT JOIN changed ON changed.tenant_id = known.tenant_id AND changed.job_id = known.job_id;

CREATE VIEW record_now AS
WITH changed AS (
  SELECT each.value ->> '$[0][0]' AS kind, each.value ->> '$[0][1]' AS tenant_id, each.value ->> '$[0][2]' AS id,
    max(each.value ->> '$[0][3]') AS version, each.value ->> '$[0][5]' AS state, each.value ->> '$[0][6]' AS changed_at,
    each.value ->> '$[0][7]' AS adapter, each.value ->> '$[0][8]' AS run_id, each.value -> '$[1]' AS body
  FROM tail_now AS tail, json_each(tail.part, '$[6]') AS each GROUP BY 1, 2, 3
)
SELECT kind, tenant_id, id, version, state, changed_at, adapter, run_id, body FROM record
WHERE NOT EXISTS (
  SELECT 1 FROM changed WHERE changed.kind = record.kind AND changed.tenant_id = record.tenant_id AND changed.id = record.id)
UNION ALL
SELECT kind, tenant_id, id, version, state, changed_at, adapter, run_id, body FROM changed;

CREATE VIEW closed_now AS
WITH changed AS (
  SELECT each.value ->> '$[0][0]' AS tenant_id, each.value ->> '$[0][1]' AS outbox_id, max(tail.first_seq) AS first_seq,
    each.value -> '$[1]' AS body
  FROM tail_now AS tail, json_each(tail.part, '$[7]') AS each GROUP BY 1, 2
)
SELECT body FROM closed_outbox AS row
WHERE NOT EXISTS (SELECT 1 FROM changed WHERE changed.tenant_id = row.tenant_id AND changed.outbox_id = row.outbox_id)
UNION ALL
SELECT body FROM changed;
`

export const VIEWS_5 = `
${['jobs', 'steps', 'outbox', ...RECORDS, 'stuck_documents'].map((name) => `DROP VIEW ${name};`).join('\n')}
${NOW}
${viewsOf({
  job: 'job_now AS job',
  record: 'record_now',
  closed: 'closed_now',
  tail: "SELECT first_seq, part -> '$[1]' FROM tail_now",
})}
`
