// What the disk and the databases do with one write at a time, with nothing in between.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Opened, Payload, Place } from '../system.ts'

function limitOf(write: (payload: Payload) => Promise<unknown>, close: () => Promise<void>): Opened {
  return {
    submit: write,
    submitMany: null,
    work: () => Promise.reject(new Error('nobody works here')),
    close,
  }
}

export async function openFile({ folder }: Place): Promise<Opened> {
  const file = openSync(`${folder}/raw`, 'a')
  return limitOf(
    async (payload) => {
      writeSync(file, JSON.stringify(payload))
      fdatasyncSync(file)
    },
    async () => closeSync(file),
  )
}

export async function openSqlite({ folder }: Place): Promise<Opened> {
  const db = new DatabaseSync(`${folder}/raw.db`)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec('CREATE TABLE raw (id INTEGER PRIMARY KEY, body TEXT)')
  const insert = db.prepare('INSERT INTO raw (body) VALUES (?)')
  return limitOf(
    async (payload) => insert.run(JSON.stringify(payload)),
    async () => db.close(),
  )
}

export async function openPostgres({ postgres }: Place): Promise<Opened> {
  const client = new pg.Client({ connectionString: postgres ?? '' })
  await client.connect()
  await client.query('CREATE TABLE raw (id bigserial PRIMARY KEY, body text)')
  const text = 'INSERT INTO raw (body) VALUES ($1)'
  return limitOf(
    (payload) => client.query({ name: 'raw', text, values: [JSON.stringify(payload)] }),
    () => client.end(),
  )
}
