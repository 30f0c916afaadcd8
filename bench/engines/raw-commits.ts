// What one caller gets from the disk or the database with nothing in between: a row of its own for each, durable.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { perSecond } from '../journal/bare-lines.ts'
import { benchServer } from './bench-server.ts'
import type { EngineName } from './engine.ts'

/** About as many bytes as a submit takes. */
const BYTES = 1024

export const RAW_NAMES: { readonly [engine in EngineName]: string } = {
  journal: 'append and fdatasync as often',
  sqlite: 'commits of one row, bare SQLite',
  postgres: 'commits of one row, bare PostgreSQL',
}

export function rawCommits(engine: EngineName, folder: string, count: number): number | Promise<number> {
  if (engine === 'journal') return appends(join(folder, 'raw'), count)
  return engine === 'sqlite' ? sqliteCommits(join(folder, 'raw.db'), count) : postgresCommits(count)
}

function appends(path: string, count: number): number {
  const bytes = Buffer.alloc(BYTES, 'x')
  const file = openSync(path, 'w')
  try {
    const start = performance.now()
    for (let nth = 0; nth < count; nth++) {
      writeSync(file, bytes)
      fdatasyncSync(file)
    }
    return perSecond(count, performance.now() - start)
  } finally {
    closeSync(file)
  }
}

function sqliteCommits(path: string, count: number): number {
  const db = new DatabaseSync(path)
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    db.exec('CREATE TABLE IF NOT EXISTS raw (id INTEGER PRIMARY KEY, body TEXT)')
    const insert = db.prepare('INSERT INTO raw (body) VALUES (?)')
    const body = 'x'.repeat(BYTES)
    const start = performance.now()
    for (let nth = 0; nth < count; nth++) insert.run(body)
    return perSecond(count, performance.now() - start)
  } finally {
    db.close()
  }
}

async function postgresCommits(count: number): Promise<number> {
  const { url } = await benchServer()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('CREATE TABLE IF NOT EXISTS raw (id bigserial PRIMARY KEY, body text)')
    const body = 'x'.repeat(BYTES)
    const start = performance.now()
    for (let nth = 0; nth < count; nth++) {
      await client.query({ name: 'raw', text: 'INSERT INTO raw (body) VALUES ($1)', values: [body] })
    }
    return perSecond(count, performance.now() - start)
  } finally {
    await client.end()
  }
}
