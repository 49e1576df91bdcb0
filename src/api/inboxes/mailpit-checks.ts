// The checks of Mailpit's API on a mail of a test inbox: its HTML, its links and its spam score; and thumbnails of files.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HtmlSupport, LackingFeature } from '../../check/html-support.ts'
import type { LinkState } from '../../check/link-probe.ts'
import type { SpamScore } from '../../check/spam-filter.ts'
import { Problem } from '../../model/problem.ts'
import { isGone } from '../read-turns.ts'
import { badRequest, type Compatible, inboxOf, route } from './compatible.ts'
import { fileOf, openMail, queryIn } from './mailpit-mail.ts'

/** Maximum number of links of a mail that are checked. */
const MAX_LINKS = 100

/** Adds the paths. */
export function addCheckPages(server: FastifyInstance, compatible: Compatible): void {
  const { openChecking, hasSpamFilter } = compatible
  server.get('/api/v1/message/:id/html-check', route, async (request, reply) => {
    const { mail } = await openMail(compatible, request, reply)
    const support = await (await openChecking()).htmlSupport(workOf(request), new Uint8Array(mail.raw))
    if (support === undefined) throw badRequest('message does not contain HTML')
    return htmlDocument(support)
  })
  server.get('/api/v1/message/:id/link-check', route, async (request, reply) => {
    const { links } = await openMail(compatible, request, reply)
    const states = await (await openChecking()).linkStates(links.slice(0, MAX_LINKS))
    const { follow } = queryIn(request)
    const follows = follow === 'true' || follow === '1'
    return {
      Errors: [...states.values()].filter((state) => isError(state, follows)).length,
      Links: [...states].map(([url, state]) => linkDocument(url, state, follows)),
    }
  })
  if (hasSpamFilter) {
    server.get('/api/v1/message/:id/sa-check', route, async (request, reply) => {
      const { mail } = await openMail(compatible, request, reply)
      const [recipient = ''] = JSON.parse(mail.recipients) as string[]
      const wanted = { raw: Buffer.from(mail.raw), from: mail.mail_from, recipient }
      return spamDocument(await (await openChecking()).spamScore(wanted))
    })
  }
  server.get('/api/v1/message/:id/part/:part/thumb', route, async (request, reply) => {
    const { content } = fileOf(request, await openMail(compatible, request, reply))
    const bytes = await thumbnailOf(compatible, request, content)
    return reply.type('image/jpeg').header('x-content-type-options', 'nosniff').send(Buffer.from(bytes))
  })
}

const workOf = (request: FastifyRequest) => ({
  accountId: inboxOf(request).accountId,
  isGone: () => isGone(request),
})

/** Returns the thumbnail of a file; a blank one if the file takes too long. */
async function thumbnailOf(
  { threads }: Compatible,
  request: FastifyRequest,
  file: Uint8Array,
): Promise<Uint8Array> {
  try {
    // The file is copied, because a message to a thread transfers the whole buffer that contains the file.
    return await threads.run(workOf(request), 'thumbnail', new Uint8Array(file), file.length)
  } catch (error) {
    if (error instanceof Problem) throw error
    return threads.run(workOf(request), 'thumbnail', new Uint8Array(), 0)
  }
}

/** Returns the document of the HTML check. The table of mail programs has no notes and no versions. */
function htmlDocument(support: HtmlSupport): object {
  const { tests, elements, clients, lacking, supported, partial, unsupported } = support
  return {
    Total: {
      ...{ Tests: tests, Nodes: elements },
      ...{ Supported: supported, Partial: partial, Unsupported: unsupported },
    },
    Platforms: platformsOf(clients),
    Warnings: lacking.map(warningOf),
  }
}

/** Returns the families of mail programs of each platform. */
function platformsOf(clients: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const platforms = Map.groupBy(clients, (client) => client.split('.')[1] ?? '')
  const familyOf = (client: string): string => written(client.split('.', 1)[0] ?? '')
  return Object.fromEntries([...platforms].map(([platform, all]) => [platform, all.map(familyOf).sort()]))
}

function warningOf({ feature, found, programs, supported, partial, unsupported }: LackingFeature): object {
  const [category = ''] = feature.split('-', 1)
  return {
    ...{ Slug: feature, Title: feature.slice(category.length + 1), Description: '' },
    ...{ URL: `https://www.caniemail.com/features/${feature}/`, Category: category, Tags: [], Keywords: '' },
    Results: programs.map(({ family, platform, support }) => ({
      ...{ Name: `${written(family)} ${written(platform)}`, Family: family, Platform: platform },
      ...{ Version: '', Support: support, NoteNumber: '' },
    })),
    NotesByNumber: {},
    Score: { Found: found, Supported: supported, Partial: partial, Unsupported: unsupported },
  }
}

/** Returns a name of the table as people write it, such as `Apple Mail` for `apple-mail`. */
const written = (name: string): string =>
  name.replace(
    /(^|-)([a-z])/g,
    (_part, start: string, letter: string) => `${start === '' ? '' : ' '}${letter.toUpperCase()}`,
  )

type CheckedLink = LinkState | 'once'

const statusOf = (state: CheckedLink, follows: boolean): number =>
  typeof state === 'object' ? (follows ? state.last : state.first) : 0

/** True for a link without a page. A link that is not requested, because it may work only once, is no error. */
const isError = (state: CheckedLink, follows: boolean): boolean => {
  const status = statusOf(state, follows)
  return state !== 'once' && (status === 0 || status >= 400)
}

function linkDocument(url: string, state: CheckedLink, follows: boolean): object {
  const status = statusOf(state, follows)
  const { STATUS_CODES } = process.getBuiltinModule('node:http')
  const why = state === 'once' ? 'not requested: the link may work only once' : 'no answer'
  const text =
    status === 0 ? ((typeof state === 'object' ? state.dead : undefined) ?? why) : STATUS_CODES[status]
  return { URL: url, StatusCode: status, Status: text ?? '' }
}

/** Returns the document of the spam check. */
const spamDocument = (score: SpamScore | undefined): object =>
  score === undefined
    ? { IsSpam: false, Error: 'the spam filter does not answer', Score: 0, Rules: [] }
    : {
        ...{ IsSpam: score.score >= score.required, Error: '', Score: score.score },
        Rules: score.rules.map((rule) => ({
          ...{ Score: rule.score, Name: rule.name, Description: rule.description },
        })),
      }
