// Adds interaction to the reference and the documentation: copying a block of code, choosing the language of the
// examples, searching, and marking the current entry of the table of contents.

const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

for (const figure of document.querySelectorAll('figure.code')) {
  const button = element('button', { type: 'button', textContent: 'Copy' })
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('pre:not([hidden]) code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
  const languages = [...figure.querySelectorAll('pre[data-language]')]
  const tabs = languages.map((pre) =>
    element('button', {
      type: 'button',
      textContent: pre.dataset.title,
      value: pre.dataset.language,
      onclick: () => chooseLanguage(pre.dataset.language),
    }),
  )
  const group = element('span', { className: 'languages' }, ...tabs)
  if (tabs.length > 0) group.setAttribute('role', 'group')
  group.setAttribute('aria-label', 'Language')
  figure.querySelector('figcaption').append(...(tabs.length > 0 ? [group] : []), button)
}

/** Shows all examples in one language, also after the page is loaded again. */
function chooseLanguage(language) {
  for (const pre of document.querySelectorAll('pre[data-language]')) {
    pre.hidden = pre.dataset.language !== language
  }
  for (const tab of document.querySelectorAll('.languages button')) {
    tab.setAttribute('aria-pressed', String(tab.value === language))
  }
  try {
    localStorage.setItem('language', language)
  } catch {
    // A browser without storage forgets the choice.
  }
}

/** Returns the language that was chosen last, if the page has examples in this language. */
function chosenLanguage() {
  try {
    const chosen = localStorage.getItem('language')
    if (document.querySelector(`.languages button[value="${CSS.escape(chosen)}"]`) !== null) return chosen
  } catch {
    // A browser without storage shows the first language.
  }
  return 'curl'
}
chooseLanguage(chosenLanguage())

const find = document.getElementById('find')
const found = document.getElementById('found')
const contents = document.getElementById('contents')
const MAX_FOUND = 40
/** Number of characters of a text around a word that was found. */
const AROUND = 60

let index
/** Loads the index of the search at its first use. */
const entries = () => {
  index ??= fetch(`${find.dataset.root}docs/search.json`).then((answer) => answer.json())
  return index
}

/** Returns a rank for an entry, lower for a better match; undefined if a word does not occur in the entry. */
function rankOf({ title, place, fields = [], text }, words) {
  const names = fields.map((name) => name.toLowerCase())
  const head = `${title} ${place}`.toLowerCase()
  const all = `${head} ${names.join(' ')} ${text.toLowerCase()}`
  if (!words.every((word) => all.includes(word))) return undefined
  if (words.every((word) => title.toLowerCase().includes(word))) return 0
  if (words.every((word) => names.includes(word))) return 1
  if (words.every((word) => head.includes(word))) return 2
  return 3
}

/** Returns the text around the first of the words, with this word marked. */
function excerptOf(text, words) {
  const lower = text.toLowerCase()
  const [at = -1, length = 0] = words
    .map((word) => [lower.indexOf(word), word.length])
    .filter(([place]) => place >= 0)
    .sort(([one], [other]) => one - other)[0] ?? []
  if (at < 0) return []
  const from = Math.max(0, at - AROUND)
  return [
    `${from > 0 ? '…' : ''}${text.slice(from, at)}`,
    element('mark', { textContent: text.slice(at, at + length) }),
    `${text.slice(at + length, at + length + AROUND)}…`,
  ]
}

const resultOf = (entry, words) =>
  element(
    'li',
    {},
    element(
      'a',
      { href: `${find.dataset.root}${entry.href}` },
      element('strong', { textContent: entry.title }),
      element('span', { className: 'place', textContent: entry.place }),
      element('span', { className: 'excerpt' }, ...excerptOf(entry.text, words)),
    ),
  )

let searches = 0
async function search() {
  const words = find.value.toLowerCase().split(/\s+/).filter((word) => word !== '')
  const own = ++searches
  found.hidden = words.length === 0
  contents.hidden = words.length > 0
  if (words.length === 0) return
  const ranked = (await entries())
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((one, other) => one.rank - other.rank)
    .slice(0, MAX_FOUND)
  // A later search may have ended before this one.
  if (own !== searches) return
  found.replaceChildren(
    ranked.length === 0
      ? element('p', { textContent: `Nothing found for “${find.value.trim()}”.` })
      : element('ul', {}, ...ranked.map(({ entry }) => resultOf(entry, words))),
  )
}
find.hidden = false
find.addEventListener('input', search)

const links = new Map([...contents.querySelectorAll('li a[href^="#"]')].map((link) => [link.hash.slice(1), link]))
const seen = new IntersectionObserver(
  (changes) => {
    for (const { target, isIntersecting } of changes) {
      if (!isIntersecting) continue
      for (const link of links.values()) link.removeAttribute('aria-current')
      links.get(target.id)?.setAttribute('aria-current', 'true')
    }
  },
  { rootMargin: '-10% 0px -80% 0px' },
)
for (const id of links.keys()) {
  const target = document.getElementById(id)
  if (target !== null) seen.observe(target)
}
