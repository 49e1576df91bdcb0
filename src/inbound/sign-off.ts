// Removes the end of a mail below the author's words: the signature, and the line that a phone or a mail client adds.

/** Matches the signature separator of RFC 3676 §4.3, with or without the final space, which some mail clients drop. */
const SEPARATOR = /^-- ?$/
/**
 * Maximum number of lines of a signature with a separator without its space, because such a separator may be a line of
 * the author.
 */
const MAX_SIGNATURE_LINES = 15

/** Words for "sent", "send", "get" and "download", with which phones and mail clients advertise themselves. */
const SENT =
  'sent|send|get|download|gesendet|geschickt|verschickt|hole?n? (?:sie sich|dir)|laden sie|herunterladen|envoyé|envoyée|obtenez|téléchargez|télécharger|enviado|enviada|obtener|obtén|descarga|obter|obtenha|baixe|baixar|inviato|inviata|scarica|ottieni|verzonden|verstuurd|gestuurd|download|skickat|skickades|hämta|sendt|hent|lähetetty|hanki|hae|saadetud|nosūtīts|išsiųsta|wysłane|wysłano|wysłana|pobierz|odesláno|odeslané|stáhnout|odoslané|poslano|poslato|poslané|elküldve|küldve|trimis|obțineți|отправлено|отправлена|отправил|скачать|надіслано|відправлено|изпратено|послато|στάλθηκε|εστάλη|αποστολή|απεσταλμένο|gönderildi|gönderilmiştir|edinin|نشأ|أُرسلت|أرسلت|مرسل|تم الإرسال|ارسال|נשלח|dikirim|đã gửi|gửi từ|ส่งจาก|发自|发送自|發自|傳送自|来自|來自|から送信|보냄|에서 보낸|भेजा'
const DEVICES =
  'iphon\\p{L}*|ipad|ipod|android|samsung|galaxy|blackberry|huawei|xiaomi|redmi|nokia|motorola|pixel|oneplus|sony|windows|outlook|yahoo|gmail|proton ?mail|e?-?mail|mail\\.ru|yandex|gmx|web\\.de|aol|icloud|thunderbird|spark|airmail|mailspring|em client|typeapp|bluemail|aqua mail|k-9|myphone|smartphone|handy|mobile|mobil\\w*|phone|telefon\\w*|téléphone|portable|móvil|celular|telemóvel|telefono|cellulare|telefoon|puhelin\\w*|matkapuhelin\\w*|komórk\\w*|мобильн\\w*|телефон\\w*|смартфон\\w*|κινητό|tablet|mac|手机|手機|携帯|휴대폰|foxmail|网易|qq|邮箱|大师'
const BY_MACHINE = new RegExp(`(?=.*(?:${SENT}))(?=.*(?:${DEVICES}))`, 'iu')
/** Matches lines of other mail clients by the form of the sentence. */
const SENT_FROM =
  /^(?:sent (?:from|via|with|using)|gesendet (?:von|mit)|envoyé (?:de|depuis|avec)|enviado (?:desde|con)|inviato (?:da|con)) (?:my |mein\p{L}* |mon |mi |il mio )?\p{Lu}[\p{L}\p{N} ]{1,30}$/iu
const MAX_MACHINE_LINE = 120

/** Matches closings of letters, which are followed by a name. */
const CLOSING = new RegExp(
  `^(?:${[
    '(?:(?:best|kind|kindest|warm|warmest|many|with (?:best|kind|warm)|yours with best) )?(?:regards|wishes)|regards|best|cheers|(?:yours )?(?:sincerely|faithfully|truly)(?: yours)?|thanks and regards|many thanks|thank you and (?:best|kind) regards',
    '(?:mit )?(?:freundlichen?|besten?|herzlichen?|lieben?|vielen?|schönen?|sonnigen?) gr(?:ü|ue)(?:ß|ss)en?|hochachtungsvoll|mfg|lg|vg',
    '(?:bien )?(?:cordialement|amicalement|sincèrement)(?: vôtre)?|bien à (?:vous|toi)|salutations(?: distinguées)?|bonne (?:journée|soirée)',
    '(?:un )?(?:saludos?|cordial saludo|saludo cordial)(?: cordiales)?|atentamente|atenciosamente|(?:cordiais )?cumprimentos|abraços?|(?:cordiali|distinti) saluti|cordialmente',
    '(?:met )?(?:vriendelijke|hartelijke) groet(?:en)?|(?:med )?(?:vänliga|vänlig|venlig|vennlig|bästa) (?:hälsningar|hälsning|hilsen|hilsner)|mvh|terveisin|ystävällisin terveisin',
    'pozdrawiam|z poważaniem|s pozdravem|s úctou|üdvözlettel|cu (?:stimă|respect)|с уважением|з повагою|με εκτίμηση|saygılarımla',
  ].join('|')})[ ,.!！，]{0,3}$`,
  'iu',
)
const MAX_CLOSING = 50
const MAX_NAME_LINES = 5
const MAX_NAME_LINE = 60

const isEmpty = (line: string | undefined): boolean => line === undefined || line.trim() === ''

/**
 * Returns the lines without the signature, the line that a phone or mail client adds, and a closing with a name. Each
 * of these parts is removed only if nothing else follows. A closing is kept if the text has no other line, or if the
 * line above ends with a colon.
 */
export function withoutSignOff(lines: readonly string[]): string[] {
  const own = trimmedEnd(withoutSignature(lines))
  for (;;) {
    const last = own.at(-1)
    const before = own.at(-2)
    if (
      last === undefined ||
      !isByMachine(last.trim()) ||
      (before !== undefined && !isEmpty(before) && !isByMachine(before.trim()))
    )
      break
    own.pop()
    trimmedEnd(own)
  }
  return withoutClosing(own)
}

function isByMachine(line: string): boolean {
  if (line.length > MAX_MACHINE_LINE) return false
  if (SENT_FROM.test(line)) return true
  // A line of the author ends like a sentence, or is longer than the line of a mail client.
  const words = line.replace(/<[^<>]*>|\[[^[\]]*\]|\([^()]*\)|https?:\S+/g, '').trim()
  return (
    BY_MACHINE.test(words) &&
    words.split(/\s+/).length <= 12 &&
    !/\p{L}{3,}[,;] |[?!]$/u.test(words) &&
    !OF_A_PERSON.test(words)
  )
}

/** Matches words that no mail client uses about itself. */
const OF_A_PERSON =
  /\b(?:i|you|we|he|she|it|they|please|your|ich|sie|wir|bitte|je|vous|nous|yo|usted|por favor)\b/iu

function withoutSignature(lines: readonly string[]): string[] {
  const at = lines.findLastIndex((line) => SEPARATOR.test(line.replace(/\r$/, '')))
  if (at < 0) return [...lines]
  const first = lines.findIndex((line) => SEPARATOR.test(line))
  const isWritten = lines[first] === '-- '
  const below = lines.slice(first + 1).filter((line) => !isEmpty(line)).length
  const isSignature = isWritten || (!isEmpty(lines[first + 1] ?? '') && below <= MAX_SIGNATURE_LINES)
  return isSignature ? lines.slice(0, first) : [...lines]
}

function withoutClosing(own: string[]): string[] {
  for (let at = own.length - 1; at >= Math.max(0, own.length - 2 * MAX_NAME_LINES); at--) {
    const line = own[at]!.trim()
    if (line.length > MAX_CLOSING || !CLOSING.test(line)) continue
    const names = own.slice(at + 1)
    if (isEmpty(names[0])) names.shift()
    const isName = (one: string): boolean =>
      one.length <= MAX_NAME_LINE && !isEmpty(one) && !/[?!;:]\s*$|\p{Ll}\.\s*$/u.test(one)
    const above = own.slice(0, at).findLast((one) => !isEmpty(one))
    const isAnnounced = above === undefined || /[:：]\s*$/.test(above)
    if (names.length > MAX_NAME_LINES || !names.every(isName) || isAnnounced || !isEmpty(own[at - 1]))
      return own
    return trimmedEnd(own.slice(0, at))
  }
  return own
}

function trimmedEnd(lines: string[]): string[] {
  while (lines.length > 0 && isEmpty(lines.at(-1))) lines.pop()
  return lines
}
