// Rows of the tail taken apart, for whoever folds them and for views. A part is cut at the marks around its pieces, of which every
// other one is what was put together (tables/tail/part-text.ts): so nothing of what jobs say is read to find where it ends.

const SECTION = {
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
    return `b[${nth + 1}], CASE WHEN cardinality(b) > ${nth + 1} THEN ${value} END`
  })
  return `concat(${texts.join(', ')})`
}

/** @param s the schema, quoted */
export const tailPartsSql = (s: string): string => `
-- PostgreSQL has neither a NUL nor half a character in JSON: there is a sign for each.
CREATE FUNCTION ${s}.json_of(written text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  CASE WHEN position('\\u' IN written) = 0 THEN written::jsonb
  ELSE replace(regexp_replace(replace(replace(written, '\\\\', E'\\x01'), '\\u0000', U&'\\2400'),
    '\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}', U&'\\FFFD', 'g'), E'\\x01', '\\\\')::jsonb END;

CREATE FUNCTION ${s}.name_of(written text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  CASE WHEN position('\\' IN written) = 0 THEN substr(written, 2, length(written) - 2) ELSE ${s}.json_of(written) #>> '{}' END;

CREATE FUNCTION ${s}.texts_of(list jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  CASE WHEN jsonb_array_length(list) > 0 THEN ARRAY(SELECT jsonb_array_elements_text(list)) END;

-- Jobs that are new: those that are alike say in their place where each of them is ready, and what it claims.
CREATE FUNCTION ${s}.born_in(p_sections text[])
RETURNS TABLE (tenant_id text, job_id text, head jsonb, fixed text, moving text, place jsonb, claim text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100 AS $born$
  SELECT h.head ->> 0, ${s}.name_of(p[2]), h.head, p[6], nullif(p[8], 'null'), NULL::jsonb, NULL::text
  FROM ${linesOf('born')}
  CROSS JOIN LATERAL (SELECT ${s}.json_of(p[4]) AS head OFFSET 0) AS h
  WHERE l.n % 2 = 0
  UNION ALL
  SELECT r.head -> 0 ->> 0, ${s}.name_of(v[2 * r.id_at + 2]), r.head -> 0,
    ${betweenPieces(0)},
    NULL, r.head, concat(r.head ->> 5, ${s}.name_of(v[2 * r.claim_at + 2]))
  FROM ${linesOf('runs')}
  CROSS JOIN LATERAL (SELECT h AS head, (h ->> 4)::int AS id_at, (h ->> 6)::int AS claim_at,
      ARRAY(SELECT json_array_elements_text(p[4]::json)) AS b
    FROM (SELECT ${s}.json_of(p[2]) AS h OFFSET 0) AS one OFFSET 0) AS r
  CROSS JOIN LATERAL unnest(p[6:]) WITH ORDINALITY AS o(own, m)
  CROSS JOIN LATERAL (SELECT string_to_array(o.own, E'\\r') AS v OFFSET 0) AS own
  WHERE l.n % 2 = 0 AND o.m % 2 = 1
$born$;

-- Jobs that changed: those that went the same way say as well where each of them was ready, and when it is and was due.
CREATE FUNCTION ${s}.changed_in(p_sections text[])
RETURNS TABLE (tenant_id text, job_id text, head jsonb, moving text, ready_in text, ready_grp text, ready_rank bigint,
  due_at bigint, was_due bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100 AS $changed$
  SELECT h.head ->> 0, ${s}.name_of(p[2]), h.head, p[6], NULL::text, NULL::text, NULL::bigint, NULL::bigint, NULL::bigint
  FROM ${linesOf('changed')}
  CROSS JOIN LATERAL (SELECT ${s}.json_of(p[4]) AS head OFFSET 0) AS h
  WHERE l.n % 2 = 0
  UNION ALL
  SELECT r.head -> 0 ->> 0, ${s}.name_of(v[2]), r.head -> 0, ${betweenPieces(2)}, r.head ->> 1, r.head ->> 2,
    CASE WHEN r.head ->> 1 IS NOT NULL THEN v[2 * r.n + 2]::bigint END, (r.head ->> 3)::bigint,
    CASE WHEN (r.head ->> 4)::boolean THEN v[CASE WHEN r.head ->> 1 IS NULL THEN 2 * r.n + 2 ELSE 2 * r.n + 4 END]::bigint END
  FROM ${linesOf('strides')}
  CROSS JOIN LATERAL (SELECT ${s}.json_of(p[2]) AS head, b, cardinality(b) AS n
    FROM (SELECT ARRAY(SELECT json_array_elements_text(p[4]::json)) AS b OFFSET 0) AS one OFFSET 0) AS r
  CROSS JOIN LATERAL unnest(p[6:]) WITH ORDINALITY AS o(own, m)
  CROSS JOIN LATERAL (SELECT string_to_array(o.own, E'\\r') AS v OFFSET 0) AS own
  WHERE l.n % 2 = 0 AND o.m % 2 = 1
$changed$;

-- Jobs as each write left them; born is what one says that makes them.
CREATE FUNCTION ${s}.jobs_in(p_sections text[])
RETURNS TABLE (tenant_id text, job_id text, version bigint, state text, changed_at bigint, is_ended boolean, open_rows int,
  holds text[], is_told boolean, moving text, born jsonb, fixed text, place jsonb, claim text, ready_in text, ready_grp text,
  ready_rank bigint, due_at bigint, was_due bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100 AS $jobs$
  SELECT tenant_id, job_id, (head ->> 1)::bigint, head ->> 2, (head ->> 3)::bigint, (head ->> 4)::boolean, (head ->> 5)::int,
    ${s}.texts_of(head -> 11), (head ->> 12)::boolean, moving, head, fixed, place, claim, NULL, NULL, NULL::bigint, NULL::bigint,
    NULL::bigint
  FROM ${s}.born_in(p_sections)
  UNION ALL
  SELECT tenant_id, job_id, (head ->> 1)::bigint, head ->> 3, (head ->> 4)::bigint, (head ->> 5)::boolean, (head ->> 6)::int,
    ${s}.texts_of(head -> 7), (head ->> 8)::boolean, moving, NULL, NULL, NULL, NULL, ready_in, ready_grp, ready_rank, due_at, was_due
  FROM ${s}.changed_in(p_sections)
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
