// The files of the page, as they were built. They are read once, and a request names one of them or nothing: no path is ever
// made of what somebody sent.
import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Disk } from '../world/disk.ts'
import { PAGE_HEADERS } from './security/headers.ts'

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Of one file. */
const MOST_BYTES = 32 * 1024 * 1024

const INDEX = '/index.html'

/** Their names change with what is in them. */
const ASSETS = '/assets/'
const FOR_GOOD = 'public, max-age=31536000, immutable'
const ASK_AGAIN = 'no-cache'

/** What is no screen, whatever a browser takes it for. */
const NO_SCREEN = /^\/(?:v1|assets)(?:\/|$)/

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Waybill</title></head>
<body><h1>The page is not built</h1><p>The server answers, but the files of its page are not there. In a checkout of Waybill:
<code>npm run build:page</code>. A package that was installed has them.</p></body></html>
`

interface PageFile {
  readonly bytes: Buffer
  /** Made when somebody asks for it: most servers are for programs. */
  gzipped(): Buffer
  readonly type: string
  readonly etag: string
  readonly caching: string
}

export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>
  readonly #index: PageFile

  private constructor(files: ReadonlyMap<string, PageFile>, index: PageFile) {
    this.#files = files
    this.#index = index
  }

  /** Each is at its own name; `index.html` is wherever a browser asks for a screen. */
  static async in(folder: string, disk: Disk): Promise<PageFiles> {
    const files = new Map<string, PageFile>()
    for (const within of ['/', ASSETS]) {
      for (const name of await disk.list(`${folder}${within}`)) {
        const path = `${within}${name}`
        if (TYPES[extname(name)] === undefined) continue
        const file = await disk.openToRead(`${folder}${path}`)
        if (file === null) continue
        try {
          // As much as there is: room for the most there might be, of every file, takes longer than all else at a start.
          const bytes = await file.read(0, Math.min(await file.size(), MOST_BYTES))
          files.set(path, pageFile(path, Buffer.from(bytes)))
        } finally {
          await file.close()
        }
      }
    }
    const index = files.get(INDEX) ?? pageFile(INDEX, Buffer.from(NOT_BUILT))
    files.delete(INDEX)
    return new PageFiles(files, index)
  }

  /** Answers whether it did. */
  send(request: FastifyRequest, reply: FastifyReply): boolean {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false
    const [path = ''] = request.originalUrl.split('?')
    const { accept, 'accept-encoding': encodings, 'if-none-match': seen } = request.headers
    const file = this.#files.get(path) ?? (isScreen(path, accept) ? this.#index : undefined)
    if (file === undefined) return false
    const isGzipped = encodings?.includes('gzip') === true
    const { type, etag, caching, gzipped, bytes } = file
    reply.headers({
      ...PAGE_HEADERS,
      'cache-control': caching,
      etag,
      'content-type': type,
      vary: 'accept-encoding',
      ...(isGzipped ? { 'content-encoding': 'gzip' } : null),
    })
    if (seen === etag) reply.code(304).send()
    else reply.code(200).send(isGzipped ? gzipped() : bytes)
    return true
  }
}

/** Where the page begins, and whatever else a browser goes to: which screen that is, the page knows. */
function isScreen(path: string, accept: string | undefined): boolean {
  if (path === '/' || path === '/login') return true
  return accept?.includes('text/html') === true && path.startsWith('/') && !NO_SCREEN.test(path)
}

function pageFile(path: string, bytes: Buffer): PageFile {
  let gzipped: Buffer | null = null
  return {
    bytes,
    gzipped() {
      gzipped ??= gzipSync(bytes)
      return gzipped
    },
    type: TYPES[extname(path)] as string,
    etag: `W/"${createHash('sha256').update(bytes).digest('base64url')}"`,
    caching: path.startsWith(ASSETS) ? FOR_GOOD : ASK_AGAIN,
  }
}
