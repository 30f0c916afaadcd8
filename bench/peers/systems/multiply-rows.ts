import pg from 'pg'

/** Copies every row of a table so many times, each with another id. */
export async function multiplyRows(url: string, table: string, id: string, copies: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ attname: string; type: string }>(
    `SELECT attname, atttypid::regtype::text AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    [table],
  )
  const columns = rows.map(({ attname }) => `"${attname}"`).join(', ')
  const values = rows
    .map(({ attname, type }) => (attname === id ? `gen_random_uuid()::${type}` : `"${attname}"`))
    .join(', ')
  await client.query(
    `INSERT INTO ${table} (${columns}) SELECT ${values} FROM ${table} CROSS JOIN generate_series(1, $1::int)`,
    [Math.round(copies)],
  )
  await client.end()
}
