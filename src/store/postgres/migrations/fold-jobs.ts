// What the parts that are folded say of jobs, as what it comes to: each job once, as it was left last, and as it was when it was new, if
// it is. Jobs that are alike are a line of a part. What they have in common is read once for all of them; what is a job's own stays the
// text that it is until it is known which of all that was said of the job is the last.
//
//   run   lines: jobs that are alike, or one by itself, and what they have in common
//   told  what is said of each of them: a mark by which the last one is found, and the run that it is of, before what is its own
//   job   each of them once
import { putJobsSql } from './fold.ts'
import { bornColumns, changedColumns, SECTION, sectionOf } from './tail-parts.ts'

/** Digits of a mark: a version, and the number of a run. */
const VERSION_DIGITS = 16
const RUN_DIGITS = 8

/** Every other one of what a text was cut into is what was put together; the rest are commas, but for the first and the last. */
const between = (list: string, from = 2): string =>
  `array_remove((${list})[${from}:cardinality(${list}) - 1], ',')`

/** The lines of a section, each as its pieces `p`. */
const linesOf = (section: keyof typeof SECTION): string => `FROM part
      CROSS JOIN LATERAL (SELECT string_to_array(${sectionOf('sections', section)}, E'\\n') AS cut OFFSET 0) AS lines
      CROSS JOIN LATERAL unnest(${between('cut')}) AS l(line)
      CROSS JOIN LATERAL (SELECT string_to_array(l.line, E'\\t') AS p OFFSET 0) AS pieces`

/** Pieces as what `format` takes: between them come the values of a job, cut at their marks, from behind so many of them. */
const formatOf = (pieces: string, behind: number): string => `(
        SELECT string_agg(replace(e.piece, '%', '%%') || CASE WHEN e.n < e.many THEN '%' || 2 * e.n + ${behind} || '$s' ELSE '' END,
          '' ORDER BY e.n)
        FROM (SELECT piece, n, count(*) OVER () AS many
          FROM json_array_elements_text(${pieces}::json) WITH ORDINALITY AS each(piece, n)) AS e)`

/** @param s the schema, quoted */
export const foldedJobsSql = (s: string): string => `
  run AS MATERIALIZED (
    SELECT line.*, CASE WHEN is_told THEN chunk_id END AS told_in,
      lpad(version::text, ${VERSION_DIGITS}, '0') || lpad(run::text, ${RUN_DIGITS}, '0') AS mark
    FROM (SELECT row_number() OVER () AS run, either.* FROM (${linesSql(s)}) AS either OFFSET 0) AS line
  ), told AS MATERIALIZED (
    SELECT run, tenant_id, ${s}.name_of(split_part(own, E'\\r', id_at)) AS job_id, is_new, told_in,
      (mark || own) COLLATE "C" AS said, prefix || ${s}.name_of(split_part(own, E'\\r', claim_at)) AS claim,
      split_part(own, E'\\r', rank_at)::bigint AS was_rank, split_part(own, E'\\r', was_due_at)::bigint AS was_due
    FROM run CROSS JOIN LATERAL unnest(${between('p', 6)}) AS o(own)
    WHERE id_at IS NOT NULL
    UNION ALL
    SELECT run, tenant_id, ${s}.name_of(p[2]), is_new, told_in, (mark || array_to_string(p, E'\\t')) COLLATE "C", NULL, NULL, NULL
    FROM run WHERE id_at IS NULL
  ), job AS MATERIALIZED (
    SELECT j.tenant_id, j.job_id, j.log, r.version, r.state, r.changed_at, r.is_ended, r.open_rows, r.holds,
      b.request_type, b.protocol_id, b.doc_id, b.run_id, b.workstream_id,
      CASE WHEN b.form IS NOT NULL THEN format(b.form, VARIADIC string_to_array(j.born, E'\\r'))
        ELSE split_part(j.born, E'\\t', 6) END AS fixed,
      CASE r.section WHEN ${SECTION.strides} THEN format(r.form, VARIADIC string_to_array(j.last, E'\\r'))
        WHEN ${SECTION.changed} THEN split_part(j.last, E'\\t', 6)
        WHEN ${SECTION.born} THEN nullif(split_part(j.last, E'\\t', 8), 'null') END AS moving
    FROM (
      SELECT tenant_id, job_id, max(said) FILTER (WHERE is_new) AS born, max(said) AS last,
        array_agg(told_in) FILTER (WHERE told_in IS NOT NULL) AS log
      FROM told GROUP BY tenant_id, job_id
    ) AS j
    JOIN run r ON r.mark = left(j.last, ${VERSION_DIGITS + RUN_DIGITS})
    LEFT JOIN run b ON b.mark = left(j.born, ${VERSION_DIGITS + RUN_DIGITS})
    -- In the order of the indexes: what follows each other in one is written on the same page.
    ORDER BY j.tenant_id COLLATE "C", j.job_id COLLATE "C"
  ), ${putJobsSql(s)}, claim AS (
    INSERT INTO ${s}.claim
    SELECT tenant_id, claim, job_id FROM told WHERE claim IS NOT NULL
    UNION ALL
    SELECT c ->> 0, c ->> 1, c ->> 2 FROM part CROSS JOIN LATERAL jsonb_array_elements(head -> 8) AS c
  )`

/** Of jobs that were there before, where the others say what they were when they were new. */
const CHANGED =
  'w.tenant_id, w.version, w.state, w.changed_at, w.is_ended, w.open_rows, NULL, NULL, NULL, NULL, NULL, w.holds, w.is_told'

/** Of one by itself there is nothing beside that and its pieces. */
const NOTHING_ELSE = 'NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, p'

/** The lines of the four sections; what a job by itself says is in its pieces. Heads as in part-runs.ts. */
const linesSql = (s: string): string => `
      SELECT chunk_id, ${SECTION.runs} AS section, true AS is_new, ${bornColumns(s)},
        h ->> 1 AS queue, h ->> 2 AS grp, (h ->> 3)::bigint AS rank, NULL::bigint AS due_at,
        2 * (h ->> 4)::int + 2 AS id_at, h ->> 5 AS prefix, 2 * (h ->> 6)::int + 2 AS claim_at, NULL::int AS rank_at,
        NULL::int AS was_due_at, ${formatOf('p[4]', 0)} AS form, p
      ${linesOf('runs')}
      CROSS JOIN LATERAL (SELECT h, h -> 0 AS c FROM (SELECT ${s}.json_of(p[2]) AS h OFFSET 0) AS head OFFSET 0) AS one
      UNION ALL
      SELECT chunk_id, ${SECTION.strides}, false, ${CHANGED},
        queue, h ->> 2, NULL, (h ->> 3)::bigint, 2, NULL, NULL, CASE WHEN queue IS NOT NULL THEN 2 * many + 2 END,
        CASE WHEN (h ->> 4)::boolean THEN 2 * many + CASE WHEN queue IS NULL THEN 2 ELSE 4 END END, ${formatOf('p[4]', 2)}, p
      ${linesOf('strides')}
      CROSS JOIN LATERAL (SELECT h, h -> 0 AS c, h ->> 1 AS queue, json_array_length(p[4]::json) AS many
        FROM (SELECT ${s}.json_of(p[2]) AS h OFFSET 0) AS head OFFSET 0) AS one
      CROSS JOIN LATERAL (SELECT ${changedColumns(s)}) AS w
      UNION ALL
      SELECT chunk_id, ${SECTION.born}, true, ${bornColumns(s)}, ${NOTHING_ELSE}
      ${linesOf('born')} CROSS JOIN LATERAL (SELECT ${s}.json_of(p[4]) AS c OFFSET 0) AS one
      UNION ALL
      SELECT chunk_id, ${SECTION.changed}, false, ${CHANGED}, ${NOTHING_ELSE}
      ${linesOf('changed')} CROSS JOIN LATERAL (SELECT ${s}.json_of(p[4]) AS c OFFSET 0) AS one
      CROSS JOIN LATERAL (SELECT ${changedColumns(s)}) AS w`
