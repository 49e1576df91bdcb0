// The text of a reply as plain words, and a search for phrases in these words.

/** Maximum characters read of a reply text, to bound the cost of a hostile text. */
const MAX_READ = 2_000
/**
 * Maximum distance, in characters, between the words before and after `...` in a phrase; `NARROW_GAP` is the distance
 * for `..`.
 */
const WIDE_GAP = 60
const NARROW_GAP = 20
/** Number of first letters by which phrases that begin with an open-ended word (`spam*`) are indexed. */
const FIRST_LETTERS = 3

/** Words of a reply, and the enhanced code if the text contains one (as in replies of qmail). */
export interface ReplyWords {
  /**
   * Words of the reply in lower case, without accents, punctuation and addresses; a space precedes and follows each
   * word.
   */
  readonly words: string
  /** Words of the reply, in which one placeholder replaces every host name. */
  readonly spoken: string
  /** Words of the reply with the placeholder for host names, without links, and with ` | ` between clauses. */
  readonly clauses: string
  /** Words that look like names of persons, companies, hosts or queues, separated by spaces. */
  readonly names: string
  readonly enhanced: string | undefined
}

const IPV4 = /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/
/** Part of a link that repeats the IP address of the sending host, which adds no information. */
const OUR_ADDRESS = /[?&]ip(?:_address)?=[^&]*/gi
/** Separators of words; captures the punctuation marks that may end a clause. */
const SEPARATORS = /[\s<>]+|([()[\]{},;:"，。；：（）、「」]+)/
/**
 * End of a clause: a punctuation mark by itself, or the last character of a sentence; `5.1.1.` does not end a clause.
 */
const CLAUSE_END = /^[^\p{L}\p{N}]+$|[^\d][.!?]$/u
const ENHANCED = /^#?([45]\.\d{1,3}\.\d{1,3})\.?$/
/** A link, or the part of a link that remains after a split at `SEPARATORS`. */
const LINK = /^\/\/|^(?:[a-z0-9-]{1,63}\.){1,10}[a-z]{2,24}\//i
/**
 * The name of a host or a domain: three or more labels, or two labels with a top-level domain that is no ordinary word.
 */
const HOST =
  /^(?:[\p{L}\p{N}_-]{1,63}\.){2,10}\p{L}[\p{L}\p{N}-]{1,23}\.?$|^[\p{L}\p{N}_-]{1,63}\.(?:com|net|org|info|biz|edu|gov|mil|arpa|local|example|test|invalid|[a-z]{2})\.?$/u
/** Placeholder for the name of a host. */
const HOST_WORD = 'hostname0'
/** An identifier: a word with a digit, an underscore, a full stop or a capital letter inside. */
const IDENTIFIER = /\p{L}\p{N}|\p{N}\p{L}|_|\p{Ll}\p{Lu}|\p{Ll}\.\p{Ll}/u
/** A code or the short name of a company, in a text that has words in lower case. */
const ACRONYM =
  /^(?!(?:FROM|YOUR?|MAIL|SENT|PEER|IP|TLS|SSL|DNS|MX|SPF|DKIM|DMARC|ARC|PTR|[HE]{2}LO|URL|HTML|MIME|API)$)\p{Lu}{2,5}$/u
const CAPITALISED = /^\p{Lu}\p{Ll}+$/u
/** Maximum number of capitalised words that count as names; a text with more capitalised words is a heading. */
const MAX_CAPITALISED = 2
const ONLY_LOWER_CASE = /^\p{Ll}*$/u
const LOWER_CASE = /^\p{Ll}{3}/u
/** Words that identify a German text, in which all nouns are capitalised. */
const GERMAN =
  / (?:das|der|des|dem|den|die|ein|eine[mnrs]?|ist|hat|wurde|nicht|konto|postfach|benutzer|empfanger|kein\p{L}{0,2}|unbekannt\p{L}{0,2}|existiert) /u

/** Collects the words of a text that look like names of persons, companies, hosts or queues. */
class Names {
  readonly #identifiers: string[] = []
  readonly #acronyms: string[] = []
  readonly #capitalised: string[] = []

  /** Reads a word. The first word of a clause does not count as capitalised. */
  read(word: string, isLink: boolean, isFirst: boolean): void {
    if (isLink || ONLY_LOWER_CASE.test(word)) return
    if (IDENTIFIER.test(word)) this.#identifiers.push(word)
    else if (isFirst) return
    else if (ACRONYM.test(word)) this.#acronyms.push(word)
    else if (CAPITALISED.test(word)) this.#capitalised.push(word)
  }

  /** Returns the names of the text with these words; `plainly` is the same text in plain words. */
  of(words: readonly string[], plainly: string): readonly string[] {
    const names = [...this.#identifiers]
    if (this.#acronyms.length > 0 && words.some((word) => LOWER_CASE.test(word)))
      names.push(...this.#acronyms)
    const { length } = this.#capitalised
    if (length > 0 && length <= MAX_CAPITALISED && !GERMAN.test(plainly)) names.push(...this.#capitalised)
    return names
  }
}

/**
 * Reads the first 2,000 characters of a text in linear time. Drops addresses, because an address only repeats the
 * command of the client: `<spam@example.com>` says nothing about spam. An IPv4 address becomes the word `ip4`.
 */
export function readWords(text: string): ReplyWords {
  let enhanced: string | undefined
  const words: string[] = []
  const spoken: string[] = []
  const clauses: string[][] = [[]]
  const names = new Names()
  for (const part of text.slice(0, MAX_READ).split(SEPARATORS)) {
    if (part === undefined) continue
    const read = part.includes('@') ? behindAddress(part) : part
    if (read === '') continue
    enhanced ??= ENHANCED.exec(read)?.[1]
    const word = IPV4.test(read) ? 'ip4' : read.replace(OUR_ADDRESS, ' ')
    const said = HOST.test(read) ? HOST_WORD : word
    words.push(word)
    spoken.push(said)
    names.read(said, LINK.test(read), clauses.at(-1)!.length === 0)
    if (!LINK.test(read)) clauses.at(-1)!.push(said)
    if (CLAUSE_END.test(read)) clauses.push([])
  }
  const plainly = (read: readonly string[]): string => plain(read.join(' '))
  const all = ` ${plainly(spoken)} `
  return {
    words: ` ${plainly(words)} `,
    spoken: all,
    clauses: ` ${clauses
      .map(plainly)
      .filter((clause) => clause !== '')
      .join(' | ')} `,
    names: plainly(names.of(spoken, all)),
    enhanced,
  }
}

/**
 * Returns the words that directly follow an address, without a space, as Sendmail writes them: `jo@example.com...User
 * unknown`.
 */
const behindAddress = (part: string): string =>
  /\.{2,3}(\p{L}.*)$/u.exec(part.slice(part.lastIndexOf('@')))?.[1] ?? ''

/** Words with their misspellings in replies, and words that occur both as one word and as two words. */
const MISSPELLINGS: readonly (readonly [right: string, wrong: string])[] = [
  ['unknown', 'unkown|unknow|uknown|unknwon|unkonwn|unknonw|unknwown|unknon'],
  ['recipient', 'recipent|receipient|recepient|recipeint|reciepient|recipiant|recpient'],
  ['recipients', 'recipents|receipients|recepients|recipeints'],
  ['no such', 'so such'],
  ['exist', 'exsist|exsit'],
  ['exists', 'exsists|exsits'],
  ['invalid', 'invaild|invlaid|inavlid'],
  ['unavailable', 'unavaliable|unavaiable|unavailible|unavilable'],
  ['account', 'acount|accout|acccount'],
  ['mailbox', 'mailbx|mialbox|maibox|mail box'],
  ['mailboxes', 'mail boxes'],
  ['email', 'e mail'],
  ['emails', 'e mails'],
  ['userid', 'user id'],
  ['username', 'user name'],
  ['address', 'adress|addres|addess'],
  ['deactivated', 'deactived|desactivated'],
  ['disattivata', 'disatttivata'],
  ['doesn t', 'doesnt|dosnt|dosn t'],
  ['don t', 'dont'],
  ['intended', 'intented|inteded'],
  ['e mail account', 'mailaccount|emailaccount|e mailaccount'],
]
const MISSPELT = new RegExp(
  `(?<= |^)(?:${MISSPELLINGS.map(([, wrong]) => `(${wrong})`).join('|')})(?= |$)`,
  'g',
)

/**
 * Converts a text to lower case without accents, replaces all but letters and digits by one space, and separates the
 * characters of scripts without spaces.
 */
export function plain(text: string): string {
  return text
    .normalize('NFKD')
    .slice(0, 2 * MAX_READ)
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replaceAll('ł', 'l')
    .replaceAll('ı', 'i')
    .replace(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu, ' $& ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(MISSPELT, (_whole, ...groups) => MISSPELLINGS[groups.findIndex((one) => one !== undefined)]![0])
}

/**
 * A phrase prepared for the search: its first part, and further parts, each with its maximum distance from the previous
 * part in characters.
 */
interface Phrase {
  readonly first: string
  readonly rest: readonly { readonly gap: number; readonly part: string }[]
  /** True if the phrase matches only at the end of the text. */
  readonly last: boolean
}

/**
 * Parses a phrase of whole words. `...` is a wide gap, and `..` is a narrow gap; `*` after a word matches any further
 * letters; a full stop is the end of the text; `(a|b)` is an alternative, and yields one phrase for each choice.
 */
function readPhrase(written: string): Phrase[] {
  const group = /\(([^)]*)\)/.exec(written)
  if (group !== null) {
    const [whole, choices = ''] = group
    return choices.split('|').flatMap((choice) => readPhrase(written.replace(whole, choice)))
  }
  const [first = '', ...rest] = written.split(/(\.{2,3})/)
  const parts: { gap: number; part: string }[] = []
  for (let i = 0; i < rest.length; i += 2) {
    parts.push({ gap: rest[i] === '..' ? NARROW_GAP : WIDE_GAP, part: spaced(rest[i + 1] ?? '') })
  }
  return [{ first: spaced(first), rest: parts, last: written.endsWith('.') }]
}

const spaced = (part: string): string => ` ${plain(part)}${part.trimEnd().endsWith('*') ? '' : ' '}`

interface Ranked {
  readonly rank: number
  readonly phrase: Phrase
}

/**
 * Returns the parts of the phrases of a list, in plain words; a part that ends with an open word has no space at the
 * end.
 */
export const partsOf = (list: string): string[] =>
  list
    .split(',')
    .flatMap(readPhrase)
    .flatMap(({ first, rest }) => [first, ...rest.map(({ part }) => part)])

/** Finds the first of many lists of phrases that match a text, without a separate search for each phrase. */
export class PhraseLists {
  readonly #byFirstWord = new Map<string, Ranked[]>()
  readonly #byFirstLetters = new Map<string, Ranked[]>()

  /** @param lists one text for each list, with commas between the phrases */
  constructor(lists: readonly string[]) {
    for (const [rank, list] of lists.entries()) {
      for (const phrase of list.split(',').flatMap(readPhrase)) this.#add({ rank, phrase })
    }
  }

  #add(ranked: Ranked): void {
    const [word = '', second] = ranked.phrase.first.slice(1).split(' ')
    const [map, key] =
      second === undefined ? [this.#byFirstLetters, word.slice(0, FIRST_LETTERS)] : [this.#byFirstWord, word]
    const found = map.get(key)
    if (found === undefined) map.set(key, [ranked])
    else found.push(ranked)
  }

  /**
   * Returns the index of the first list with a phrase that matches the text for this list; undefined without a match.
   *
   * @param textFor returns the text to search for the phrases of a list, the words or the clauses; undefined to skip
   * the list
   */
  find(words: string, textFor: (index: number) => string | undefined): number | undefined {
    let best: number | undefined
    const look = (candidates: readonly Ranked[] = []): void => {
      for (const { rank, phrase } of candidates) {
        if (best !== undefined && rank >= best) continue
        const text = textFor(rank)
        if (text !== undefined && contains(text, phrase)) best = rank
      }
    }
    for (const word of new Set(words.trim().split(' '))) {
      look(this.#byFirstWord.get(word))
      for (let length = 1; length <= FIRST_LETTERS; length++) {
        if (word.length >= length) look(this.#byFirstLetters.get(word.slice(0, length)))
      }
    }
    return best
  }
}

/** True if the words contain the phrase. The time is linear in the length of the words. */
function contains(words: string, { first, rest, last }: Phrase): boolean {
  if (last) return words.endsWith(first)
  let at = words.indexOf(first)
  if (at < 0 || !rest.every(({ part }) => words.includes(part))) return false
  for (; at >= 0; at = words.indexOf(first, at + 1)) {
    // The space at the end of one part may also be the space at the start of the next part.
    if (follows(words, at + first.length - 1, rest)) return true
  }
  return false
}

function follows(words: string, from: number, rest: Phrase['rest']): boolean {
  let at = from
  for (const { gap, part } of rest) {
    const found = words.slice(at, at + gap + part.length).indexOf(part)
    if (found < 0) return false
    at += found + part.length - 1
  }
  return true
}
