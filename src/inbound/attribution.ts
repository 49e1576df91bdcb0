// Recognises the attribution (`On … wrote:`) with which mail clients introduce a quotation, in many languages.

/**
 * Maximum number of lines and of characters of an attribution; mail clients wrap an attribution at about 78 columns.
 */
const MAX_LINES = 4
const MAX_CHARACTERS = 400

/** Words for "wrote", "writes" and "has written" in scripts that separate words. */
const VERBS = `
  wrote writes schrieb schreibt écrit écrivait escribió escribio escribe escribiu scritto scrive scrisse escreveu
  escreve schreef schrijft skrev skriver skreiv kirjoitti kirjoittaa kirjutas kirjutab rakstīja raksta rašė parašė rašo
  napisał napisała napisał\\(a\\) napisał/a pisze napisal napisala napisal\\(a\\) píše napísal napísala napísal\\(a\\)
  napisao napisala napisao/la pisao piše napisal/a napísal/a написал написала написал\\(а\\) написа пишет писал писала
  пише написав написала написав\\(ла\\) написао написала написао/ла напиша піша напісаў έγραψε γράφει yazdı yazmış
  yazıyor yazmıştır írta írja scris scrie escriure escrit skrifaði scríobh ysgrifennodd geskryf shkroi shkruajti kiteb
  idatzi menulis tulis sumulat isinulat aliandika viết գրեց գրել გრել დაწერა жазды жазған бичсэн yozdi כתב כתבה
  כותב كتب كتبت نوشت نوشته لکھا تحریر लिखा लिखे लिखिले লিখেছেন எழுதியது எழுதினார் రాసారు వ్రాశారు
  લખ્યું ಬರೆದರು ಬರೆದಿದ್ದಾರೆ എഴുതി ਲਿਖਿਆ ලිවීය`
  .trim()
  .split(/\s+/)

/** Words for "wrote", "writes" and "message" in scripts that do not separate words. */
const UNSEPARATED =
  '写道|寫道|写到|寫到|写的|寫的|写信|作成|書き|書いた|のメール|のメッセージ|작성|쓴 글|썼|님이|เขียน|បានសរសេរ'

const VERB = new RegExp(`(?<![\\p{L}\\p{M}])(?:${VERBS.join('|')})(?![\\p{L}\\p{M}])|${UNSEPARATED}`, 'iu')

const ADDRESS = /[\p{L}\p{N}_+-]@[\p{L}\p{N}][\p{L}\p{N}-]{0,60}[.\p{L}\p{N}]/u
const YEAR = /(?<!\p{Nd})\p{Nd}{4}(?!\p{Nd})/u
const DATE_IN_DIGITS = /\p{Nd}[./-] ?\p{Nd}{1,2}[./-] ?\p{Nd}{2}/u
const TIME = /\p{Nd} ?[:.h時时시点點] ?\p{Nd}{2}(?!\p{Nd})/u
const COLON = /[:：][\s*_>"'-]*$/u

/** Matches words at the beginning of an attribution, before a date or a name. */
const OPENING =
  /^[-\s*"'„“]*(?:on|am|le|el|il|em|a|la|op|den|d\.|dne|dňa|dana|dnia|w dniu|pe|în|la data|στις|στίς|în data|ngày|vào|pada|tanggal|em|data|in data|quoting|zitat|citando|citat|в|на|у|ne|me|op|il giorno|tarihinde|בתאריך|ב-|في|در|em|quando|วันที่|ในวันที่|在|于)(?=[\s\p{N}:,‎‏])/iu
/** Column from which mail clients wrap lines. */
const WRAPPED = 65

/** Returns the text without bidirectional marks, and with plain spaces. */
const plain = (text: string): string =>
  text
    .replace(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/[\u00a0\u202f\u2009\u3000]/g, ' ')

/** Matches an address in brackets at the end of an attribution. */
const ADDRESS_LAST = /[<([＜][^<>()[\]\s]{1,200}@[^<>()[\]\s]{1,200}[>)\]＞][\s"']{0,5}[:：]/u
/**
 * Matches personal pronouns and words such as "please", which people write to each other and attributions never
 * contain.
 */
const OF_A_PERSON =
  /(?<!\p{L})(?:you|i|we|please|du|sie|ihr|ich|wir|bitte|vous|nous|usted|yo|por favor|jij|вы|ты|я)(?!\p{L})/iu

/**
 * True if a text is an attribution, which introduces a quotation. An attribution without a marked line (`>`) below is
 * recognised only by an address with a date, or by a verb with a date and a time.
 */
export function introduces(written: string, beforeMarked: boolean): boolean {
  const text = plain(written)
  const hasVerb = VERB.test(text)
  const hasAddress = ADDRESS.test(text)
  if (!hasVerb && !hasAddress && !beforeMarked) return false
  const hasDate = YEAR.test(text) || DATE_IN_DIGITS.test(text)
  const hasTime = TIME.test(text)
  if (!COLON.test(text)) return beforeMarked && (hasVerb || hasAddress) && hasDate
  const isLast = hasAddress && ADDRESS_LAST.test(text)
  const isOfAPerson = !isLast && OF_A_PERSON.test(text)
  if (!beforeMarked) return hasDate && !isOfAPerson && (hasVerb ? hasAddress || hasTime : isLast && hasTime)
  if (isLast || (hasAddress && (hasVerb || hasDate))) return true
  if (isOfAPerson) return false
  return hasVerb ? hasDate || hasTime || text.trim().split(/\s+/).length <= 6 : hasDate && hasTime
}

/**
 * Returns the index of the line after an attribution that begins at `at`; undefined if no attribution begins there.
 * `isMarked` returns true if a line further down is marked as quoted.
 */
export function endOfAttribution(
  lines: readonly string[],
  at: number,
  isMarked: (after: number) => boolean,
): number | undefined {
  if (isBegun(lines[at]!)) return at + 1
  let text = ''
  for (let end = at; end < Math.min(lines.length, at + MAX_LINES); end++) {
    const line = lines[end]!
    if (line.trim() === '' || line.length > MAX_CHARACTERS) return undefined
    const below = text
    text = below === '' ? line : `${below} ${line}`
    if (text.length > MAX_CHARACTERS) return undefined
    const beforeMarked = isMarked(end + 1)
    if ((COLON.test(plain(line)) || beforeMarked) && introduces(text, beforeMarked)) {
      const rest = lines.slice(at + 1, end + 1).join(' ')
      const needsFirst = end === at || !introduces(rest, beforeMarked)
      return needsFirst || goesOn(lines[at]!, lines[at + 1]!) ? end + 1 : undefined
    }
    // A line that ends a sentence of the author is no attribution.
    if (/[!?]\s*$|\p{L}{4,}\.\s*$/u.test(line)) return undefined
  }
  return undefined
}

/**
 * True if the quotation begins on the same line as its attribution, after some spaces, as in mail of Yahoo's mobile
 * apps.
 */
function isBegun(line: string): boolean {
  const [, introduction] = /^(.{10,300}?[:：])[ \u00a0]{2,}\S/u.exec(line) ?? []
  return introduction !== undefined && introduces(introduction, false)
}

/**
 * True if a line belongs to the attribution on the next line: a wrapped line, or a line that begins like an
 * attribution.
 */
function goesOn(line: string, next: string): boolean {
  const [word = ''] = next.trim().split(/\s/, 1)
  return line.length + 1 + word.length > WRAPPED || (OPENING.test(plain(line)) && /\p{Nd}/u.test(line))
}
