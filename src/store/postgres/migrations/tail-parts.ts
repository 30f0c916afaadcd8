// Rows of the tail taken apart, for whoever folds them and for views. A part is cut at the marks around its pieces, of which every
// other one is what was put together (tables/tail/part-text.ts): so nothing of what jobs say is read to find where it ends.

export const SECTION = {
  head: 2,
  entries: 4,
  runs: 6,
  strides: 8,
  born: 10,
  changed: 12,
  records: 14,
  closed: 16,
} as const

/** The sections of a part. */
export const sectionsOf = (part: string): string => `string_to_array(${part}, E'\\r\\r')`

/** One of them. */
export const sectionOf = (sections: string, section: keyof typeof SECTION): string =>
  `(${sections})[${SECTION[section]}]`

/** The lines of a section, each as its pieces. */
const linesOf = (section: keyof typeof SECTION): string =>
  `unnest(string_to_array(${sectionOf('p_sections', section)}, E'\\n')) WITH ORDINALITY AS l(line, n)
  CROSS JOIN LATERAL (SELECT string_to_array(l.line, E'\\t') AS p OFFSET 0) AS pieces`

/** More than there are in a text of which jobs that are alike are put together. */
const MOST_PIECES = 16

/** The pieces `b` with the values `v` in between, from behind so many of them; what is not there is nothing. */
const betweenPieces = (behind: number): string => {
  const texts = Array.from({ length: MOST_PIECES }, (_, nth) => {
    const value = `v[${2 * nth + 2 + behind}]`
    return `b[${nth + 1}], CASE WHEN r.pieces > ${nth + 1} THEN ${value} END`
  })
  return `concat(${texts.join(', ')})`
}

/** What the head `c` of new jobs says, and that of jobs that changed: part-jobs.ts. */
export const bornColumns = (s: string): string => `
      c ->> 0 AS tenant_id, (c ->> 1)::bigint AS version, c ->> 2 AS state, (c ->> 3)::bigint AS changed_at,
      (c ->> 4)::boolean AS is_ended, (c ->> 5)::int AS open_rows, c ->> 6 AS request_type, c ->> 7 AS protocol_id,
      c ->> 8 AS doc_id, c ->> 9 AS run_id, c ->> 10 AS workstream_id, ${s}.texts_of(c -> 11) AS holds,
      (c ->> 12)::boolean AS is_told`

export const changedColumns = (s: string): string => `
      c ->> 0 AS tenant_id, (c ->> 1)::bigint AS version, c ->> 3 AS state, (c ->> 4)::bigint AS changed_at,
      (c ->> 5)::boolean AS is_ended, (c ->> 6)::int AS open_rows, ${s}.texts_of(c -> 7) AS holds,
      (c ->> 8)::boolean AS is_told`

/** @param s the schema, quoted */
export const tailPartsSql = (s: string): string => `
-- PostgreSQL has neither a NUL nor half a character in JSON: there is a sign for each.
CREATE FUNCTION ${s}.json_of(written text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  CASE WHEN position('\\u' IN written) = 0 THEN written::jsonb
  ELSE replace(regexp_replace(replace(replace(written, '\\\\', E'\\x01'), '\\u0000', U&'\\2400'),
    '\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}', U&'\\FFFD', 'g'), E'\\x01', '\\\\')::jsonb END;

CREATE FUNCTION ${s}.name_of(written text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  CASE WHEN position('\\' IN written) = 0 THEN replace(written, '"', '') ELSE ${s}.json_of(written) #>> '{}' END;

CREATE FUNCTION ${s}.texts_of(list jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  CASE WHEN jsonb_array_length(list) > 0 THEN ARRAY(SELECT jsonb_array_elements_text(list)) END;

-- Jobs as writes left them. Of one that a write makes there is what it was when it was new, and of one that is alike also where it is
-- ready and what it claims; of one that went the same way as others, where it was ready, and when it is and was due.
CREATE TYPE ${s}.told_job AS (
  tenant_id text, job_id text, version bigint, state text, changed_at bigint, is_ended boolean, open_rows int, holds text[],
  is_told boolean, moving text, fixed text, request_type text, protocol_id text, doc_id text, run_id text, workstream_id text,
  queue text, grp text, rank bigint, claim text, was_queue text, was_grp text, was_rank bigint, due_at bigint, was_due bigint
);

-- What many have in common is taken apart once.
CREATE FUNCTION ${s}.born_in(p_sections text[]) RETURNS SETOF ${s}.told_job
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100 AS $born$
  SELECT h.tenant_id, ${s}.name_of(p[2]), h.version, h.state, h.changed_at, h.is_ended, h.open_rows, h.holds, h.is_told,
    nullif(p[8], 'null'), p[6], h.request_type, h.protocol_id, h.doc_id, h.run_id, h.workstream_id,
    NULL::text, NULL::text, NULL::bigint, NULL::text, NULL::text, NULL::text, NULL::bigint, NULL::bigint, NULL::bigint
  FROM ${linesOf('born')}
  CROSS JOIN LATERAL (SELECT ${bornColumns(s)} FROM (SELECT ${s}.json_of(p[4]) AS c OFFSET 0) AS one OFFSET 0) AS h
  WHERE l.n % 2 = 0
  UNION ALL
  SELECT r.tenant_id, ${s}.name_of(v[r.id_at]), r.version, r.state, r.changed_at, r.is_ended, r.open_rows, r.holds, r.is_told,
    NULL, ${betweenPieces(0)}, r.request_type, r.protocol_id, r.doc_id, r.run_id, r.workstream_id,
    r.queue, r.grp, r.rank, r.prefix || ${s}.name_of(v[r.claim_at]), NULL, NULL, NULL, NULL, NULL
  FROM ${linesOf('runs')}
  CROSS JOIN LATERAL (SELECT ${bornColumns(s)}, h ->> 1 AS queue, h ->> 2 AS grp, (h ->> 3)::bigint AS rank,
      2 * (h ->> 4)::int + 2 AS id_at, h ->> 5 AS prefix, 2 * (h ->> 6)::int + 2 AS claim_at, b, cardinality(b) AS pieces
    FROM (SELECT h, h -> 0 AS c, ARRAY(SELECT json_array_elements_text(p[4]::json)) AS b
      FROM (SELECT ${s}.json_of(p[2]) AS h OFFSET 0) AS head OFFSET 0) AS one OFFSET 0) AS r
  CROSS JOIN LATERAL unnest(p[6:]) WITH ORDINALITY AS o(own, m)
  CROSS JOIN LATERAL (SELECT string_to_array(o.own, E'\\r') AS v OFFSET 0) AS own
  WHERE l.n % 2 = 0 AND o.m % 2 = 1
$born$;

CREATE FUNCTION ${s}.changed_in(p_sections text[]) RETURNS SETOF ${s}.told_job
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100 AS $changed$
  SELECT h.tenant_id, ${s}.name_of(p[2]), h.version, h.state, h.changed_at, h.is_ended, h.open_rows, h.holds, h.is_told, p[6],
    NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::bigint, NULL::text,
    NULL::text, NULL::text, NULL::bigint, NULL::bigint, NULL::bigint
  FROM ${linesOf('changed')}
  CROSS JOIN LATERAL (SELECT ${changedColumns(s)} FROM (SELECT ${s}.json_of(p[4]) AS c OFFSET 0) AS one OFFSET 0) AS h
  WHERE l.n % 2 = 0
  UNION ALL
  SELECT r.tenant_id, ${s}.name_of(v[2]), r.version, r.state, r.changed_at, r.is_ended, r.open_rows, r.holds, r.is_told,
    ${betweenPieces(2)}, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    r.queue, r.grp, CASE WHEN r.queue IS NOT NULL THEN v[2 * r.pieces + 2]::bigint END, r.due_at,
    CASE WHEN r.was_due THEN v[CASE WHEN r.queue IS NULL THEN 2 * r.pieces + 2 ELSE 2 * r.pieces + 4 END]::bigint END
  FROM ${linesOf('strides')}
  CROSS JOIN LATERAL (SELECT ${changedColumns(s)}, h ->> 1 AS queue, h ->> 2 AS grp, (h ->> 3)::bigint AS due_at,
      (h ->> 4)::boolean AS was_due, b, cardinality(b) AS pieces
    FROM (SELECT h, h -> 0 AS c, ARRAY(SELECT json_array_elements_text(p[4]::json)) AS b
      FROM (SELECT ${s}.json_of(p[2]) AS h OFFSET 0) AS head OFFSET 0) AS one OFFSET 0) AS r
  CROSS JOIN LATERAL unnest(p[6:]) WITH ORDINALITY AS o(own, m)
  CROSS JOIN LATERAL (SELECT string_to_array(o.own, E'\\r') AS v OFFSET 0) AS own
  WHERE l.n % 2 = 0 AND o.m % 2 = 1
$changed$;

CREATE FUNCTION ${s}.jobs_in(p_sections text[]) RETURNS SETOF ${s}.told_job
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100 AS $jobs$
  SELECT * FROM ${s}.born_in(p_sections) UNION ALL SELECT * FROM ${s}.changed_in(p_sections)
$jobs$;

CREATE FUNCTION ${s}.records_in(p_sections text[])
RETURNS TABLE (kind text, tenant_id text, id text, version bigint, read_version bigint, state text, changed_at bigint,
  adapter text, run_id text, is_told boolean, body text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 AS $records$
  SELECT head ->> 0, head ->> 1, head ->> 2, (head ->> 3)::bigint, (head ->> 4)::bigint, head ->> 5, (head ->> 6)::bigint,
    head ->> 7, head ->> 8, (head ->> 9)::boolean, p[4]
  FROM ${linesOf('records')}
  CROSS JOIN LATERAL (SELECT ${s}.json_of(p[2]) AS head OFFSET 0) AS h
  WHERE l.n % 2 = 0
$records$;

CREATE FUNCTION ${s}.closed_in(p_sections text[])
RETURNS TABLE (tenant_id text, outbox_id text, job_id text, step_id text, state text, changed_at bigint, body text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 AS $closed$
  SELECT head ->> 0, head ->> 1, head ->> 2, head ->> 3, head ->> 4, (head ->> 5)::bigint, p[4]
  FROM ${linesOf('closed')}
  CROSS JOIN LATERAL (SELECT ${s}.json_of(p[2]) AS head OFFSET 0) AS h
  WHERE l.n % 2 = 0
$closed$;
`
