// Measures templates: the speed of rendering a receipt in comparison with mustache and compiled handlebars, and the
// cost of accepting messages with a template.

import Handlebars from 'handlebars'
import Mustache from 'mustache'
import { isTemplate, parseTemplate } from '../../src/template-language/parse.ts'
import { render } from '../../src/template-language/render.ts'
import { TEMPLATE, TEMPLATE_MODEL } from '../harness/message.ts'
import type { Options } from '../harness/options.ts'
import { figure, goal, heading, line, median } from '../harness/report.ts'
import { Rig } from '../harness/rig.ts'
import type { HttpLoadCalls } from '../processes/http-load.ts'
import { keep } from '../record/figures.ts'

const WARM_UP_SECONDS = 2
/** Number of renderings between two readings of the clock. */
const BATCH = 2_000

/** Runs the measurement `npm run bench -- template`. */
export async function measureTemplate(options: Options): Promise<void> {
  measureRendering(options)
  await measureAccepting(options)
}

function measureRendering(options: Options): void {
  const template = parseTemplate(TEMPLATE.html)
  if (!isTemplate(template)) throw new Error('the receipt is not a valid template')
  const compiled = Handlebars.compile(TEMPLATE.html)
  // The conversion to bytes forces V8 to flatten strings that were built by concatenation.
  const all = {
    ours: () => Buffer.from(render(template, TEMPLATE_MODEL, { html: true })),
    mustache: () => Buffer.from(Mustache.render(TEMPLATE.html, TEMPLATE_MODEL)),
    handlebars: () => Buffer.from(compiled(TEMPLATE_MODEL)),
  }
  if (!all.ours().equals(all.handlebars())) throw new Error('the renderings of the receipt differ')
  const rates: Record<keyof typeof all, number[]> = { ours: [], mustache: [], handlebars: [] }
  for (let round = 0; round <= options.rounds; round++) {
    for (const [name, work] of Object.entries(all) as [keyof typeof all, () => Buffer][]) {
      const rate = perSecond(work, (options.seconds * 1000) / 5)
      if (round > 0) rates[name].push(rate)
    }
  }
  heading(`template: a receipt of ${TEMPLATE.html.length} characters, renders/s`)
  line('', 'ours', 'mustache', 'handlebars')
  const [ours, mustache, handlebars] = [median(rates.ours), median(rates.mustache), median(rates.handlebars)]
  line('renders/s', figure(ours), figure(mustache), figure(handlebars))
  keep(
    'render_ratio',
    rates.ours.map((one, index) => one / (rates.handlebars[index] ?? Number.NaN)),
  )
  goal('at least as fast as mustache', ours >= mustache)
  goal('within 3 times compiled handlebars', ours * 3 >= handlebars)
}

function perSecond(work: () => unknown, ms: number): number {
  const start = performance.now()
  let done = 0
  while (performance.now() - start < ms) {
    for (let left = BATCH; left > 0; left--) work()
    done += BATCH
  }
  return (done * 1000) / (performance.now() - start)
}

async function measureAccepting(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    const { started } = await rig.node('api')
    const key = started.playground.sending_key
    await makeTemplate(started.url, key)
    const load = rig.child<HttpLoadCalls>('http-load.ts')
    const { connections } = options
    const round = (template: boolean, seconds: number) =>
      load.ask('run', {
        url: started.url,
        key,
        connections,
        destinations: rig.destinations,
        seconds,
        template,
      })
    await round(false, WARM_UP_SECONDS)
    await round(true, WARM_UP_SECONDS)
    const ratios: number[] = []
    heading(`template: POST /v1/messages, ${connections} connections, ${options.database}, requests/s`)
    line('', 'content', 'template', 'ratio', 'refused')
    for (let left = options.rounds; left > 0; left--) {
      const [plain, templated] = [await round(false, options.seconds), await round(true, options.seconds)]
      const ratio = templated.perSecond / plain.perSecond
      ratios.push(ratio)
      line('', figure(plain.perSecond), figure(templated.perSecond), figure(ratio), figure(templated.refused))
    }
    keep('template_ratio', ratios)
    goal('at least two thirds', median(ratios) >= 2 / 3)
  } finally {
    await rig.close()
  }
}

async function makeTemplate(url: string, key: string): Promise<void> {
  const { status } = await fetch(new URL('/v1/templates', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(TEMPLATE),
  })
  if (status !== 201) throw new Error(`the template was refused with status ${status}`)
}
