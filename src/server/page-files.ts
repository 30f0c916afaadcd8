// The files of the page. They are read once, and a request names one of them or nothing: no path is ever made of what
// somebody sent.
import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Disk } from '../world/disk.ts'
import { PAGE_HEADERS } from './security/headers.ts'

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
}

/** Of all files together. */
const MOST_BYTES = 32 * 1024 * 1024

interface PageFile {
  readonly bytes: Uint8Array
  readonly type: string
  readonly etag: string
}

export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>

  private constructor(files: ReadonlyMap<string, PageFile>) {
    this.#files = files
  }

  /** `index.html` is at `/`, `login.html` at `/login`, everything else at its own name. */
  static async in(folder: string, disk: Disk): Promise<PageFiles> {
    const files = new Map<string, PageFile>()
    for (const name of await disk.list(folder)) {
      const type = TYPES[extname(name)]
      const file = type === undefined ? null : await disk.openToRead(`${folder}/${name}`)
      if (type === undefined || file === null) continue
      try {
        const bytes = await file.read(0, MOST_BYTES)
        const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
        files.set(pathOf(name), { bytes, type, etag })
      } finally {
        await file.close()
      }
    }
    return new PageFiles(files)
  }

  /** Answers whether it did. */
  send(request: FastifyRequest, reply: FastifyReply): boolean {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false
    const [path = ''] = request.originalUrl.split('?')
    const file = this.#files.get(path)
    if (file === undefined) return false
    reply.headers({
      ...PAGE_HEADERS,
      'cache-control': 'no-cache',
      etag: file.etag,
      'content-type': file.type,
    })
    if (request.headers['if-none-match'] === file.etag) reply.code(304).send()
    else reply.code(200).send(Buffer.from(file.bytes))
    return true
  }
}

function pathOf(name: string): string {
  if (name === 'index.html') return '/'
  return name.endsWith('.html') ? `/${name.slice(0, -'.html'.length)}` : `/${name}`
}
