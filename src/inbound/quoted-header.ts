// Recognises the header that Outlook and other mail clients put above a quotation (`From: … Sent: … To: … Subject: …`),
// in many languages.

import { introduces } from './attribution.ts'

type Kind = 'from' | 'sent' | 'to' | 'subject' | 'other'

/** Labels of the fields from, sent (or date), to, and subject, by language. */
const LABELS: readonly (readonly [from: string, sent: string, to: string, subject: string])[] = [
  ['From', 'Sent|Date|Sent at|Received', 'To', 'Subject'],
  ['Von|Absender', 'Gesendet|Datum|Gesendet am', 'An|Empfänger', 'Betreff'],
  ['De|Expéditeur|De la part de', "Envoyé|Date|Date d'envoi|Envoyé le", 'À|A|Destinataire', 'Objet|Sujet'],
  ['De|Remitente', 'Enviado|Fecha|Enviado el', 'Para|Destinatario', 'Asunto'],
  ['Da|Mittente', 'Inviato|Data|Inviata', 'A|Destinatario', 'Oggetto'],
  ['De|Remetente', 'Enviado|Enviada|Data|Enviada em|Enviado em', 'Para|Destinatário', 'Assunto'],
  ['Van|Afzender', 'Verzonden|Datum|Verstuurd', 'Aan', 'Onderwerp'],
  ['Från', 'Skickat|Datum|Skickades', 'Till', 'Ämne'],
  ['Fra', 'Sendt|Dato', 'Til', 'Emne'],
  ['Lähettäjä', 'Lähetetty|Päivämäärä|Päiväys', 'Vastaanottaja', 'Aihe'],
  ['Od|Nadawca', 'Wysłano|Data|Wysłane|Data wysłania', 'Do', 'Temat'],
  ['Od', 'Odesláno|Datum|Odoslané|Dátum', 'Komu|Pro', 'Předmět|Predmet|Vec'],
  ['Od|Šalje|Pošiljatelj', 'Poslano|Poslato|Datum', 'Za|Prima|Primatelj|Prejemnik', 'Predmet|Naslov|Zadeva'],
  ['Од', 'Послато|Датум|Пратено|Испратено', 'За|До', 'Предмет|Тема|Наслов'],
  ['От|От кого', 'Отправлено|Дата|Дата отправки', 'Кому', 'Тема'],
  ['Від|Від кого', 'Надіслано|Дата|Відправлено', 'Кому', 'Тема'],
  ['Ад', 'Адпраўлена|Дата', 'Каму', 'Тэма'],
  ['От', 'Изпратено|Дата', 'До', 'Относно|Тема'],
  ['Από', 'Στάλθηκε|Ημερομηνία|Απεσταλμένο|Εστάλη', 'Προς', 'Θέμα'],
  ['Kimden|Gönderen', 'Gönderildi|Tarih|Gönderme tarihi', 'Kime|Alıcı', 'Konu'],
  ['Feladó', 'Elküldve|Dátum|Küldve', 'Címzett', 'Tárgy'],
  ['De la|Expeditor', 'Trimis|Data|Data trimiterii', 'Către|Catre', 'Subiect'],
  ['De', 'Enviat|Data|Enviat el', 'Per a|A', 'Assumpte|Tema'],
  ['De', 'Enviado|Data', 'Para|A', 'Asunto'],
  ['Nork|Igorlea', 'Bidalia|Data', 'Nori|Hartzailea', 'Gaia'],
  ['Saatja|Kellelt', 'Saadetud|Kuupäev', 'Adressaat|Kellele', 'Teema'],
  ['No|Sūtītājs', 'Nosūtīts|Datums', 'Kam|Adresāts', 'Tēma|Temats'],
  ['Nuo|Siuntėjas', 'Išsiųsta|Data', 'Kam|Gavėjas|Iki', 'Tema'],
  ['Frá', 'Sent|Dagsetning', 'Til', 'Efni'],
  ['Nga', 'Dërguar|Data', 'Për', 'Subjekti|Tema'],
  ['Van', 'Gestuur|Datum', 'Aan', 'Onderwerp'],
  ['Dari|Daripada', 'Dikirim|Tanggal|Terkirim|Dihantar|Tarikh', 'Kepada|Ke', 'Subjek|Perihal|Hal'],
  ['Mula kay|Mula sa', 'Ipinadala|Petsa', 'Para kay|Kay', 'Paksa'],
  ['Từ|Người gửi', 'Đã gửi|Ngày|Gửi|Ngày gửi', 'Đến|Tới|Người nhận', 'Chủ đề|Tiêu đề'],
  ['จาก', 'ส่ง|วันที่|ส่งเมื่อ|ส่งแล้ว', 'ถึง', 'เรื่อง|หัวเรื่อง|หัวข้อ'],
  ['מאת|מ', 'נשלח|תאריך|נשלח בתאריך', 'אל|אל נמען|ל', 'נושא'],
  ['من|المرسل', 'تم الإرسال|التاريخ|أرسل|تاريخ الإرسال|أُرسلت', 'إلى|المستلم', 'الموضوع'],
  ['از|فرستنده', 'ارسال شده|تاریخ|ارسال‌شده', 'به|گیرنده', 'موضوع'],
  ['منجانب', 'بھیجا گیا|تاریخ', 'بنام', 'موضوع'],
  ['प्रेषक|से', 'भेजा गया|दिनांक|भेजा', 'प्रति|को', 'विषय'],
  ['প্রেরক|থেকে', 'প্রেরিত|তারিখ', 'প্রতি|প্রাপক', 'বিষয়'],
  [
    '发件人|发信人|寄件人|寄件者|发自',
    '发送时间|日期|发送日期|时间|寄件日期|傳送時間|發送時間',
    '收件人|收件者',
    '主题|主旨|主題|标题',
  ],
  ['差出人|送信者', '送信日時|日付|日時|送信日', '宛先|送信先', '件名|題名'],
  [
    '보낸 사람|보낸사람|발신|보낸이',
    '보낸 날짜|날짜|보냄|발신일|보낸날짜|보낸 시간',
    '받는 사람|받는사람|수신',
    '제목',
  ],
  ['Ումից', 'Ուղարկված է|Ամսաթիվ', 'Ում', 'Թեմա'],
  ['ვისგან|გამომგზავნი', 'გაგზავნილია|თარიღი', 'ვის|მიმღები', 'თემა'],
  ['Кімнен', 'Жіберілді|Күні', 'Кімге', 'Тақырып|Тақырыбы'],
]

const KIND_ORDER = ['from', 'sent', 'to', 'subject'] as const

const KINDS: ReadonlyMap<string, ReadonlySet<Kind>> = (() => {
  const kinds = new Map<string, Set<Kind>>()
  for (const language of LABELS) {
    for (const [index, labels] of language.entries()) {
      for (const label of labels.toLowerCase().split('|')) {
        const known = kinds.get(label) ?? new Set()
        kinds.set(label, known.add(KIND_ORDER[index]!))
      }
    }
  }
  return kinds
})()

/** Matches labels of other fields of a quoted header, which also occur in other lists. */
const OTHER =
  /^(?:b?cc|reply-to|importance|priority|attachments?|kopie|wichtigkeit|anlagen?|anhänge|cc\/cci|pièces jointes|copia|datos adjuntos|allegati|anexos|bijlagen|kopia|dw|kopio|抄送|密送|重要性|附件|副本|참조|첨부|копия|копія|másolat|mellékletek|κοιν|bilgi|oggetto|priorità|importancia|prioridade)$/iu

/** Returns the text in lower case, without the combining dot that the Turkish İ gets in lower case. */
const inLower = (text: string): string => text.toLowerCase().replaceAll('\u0307', '')

const FIELD = /^[\s>*_]{0,10}([\p{L}\p{M}][\p{L}\p{M} '’./-]{0,28}?)[ \u00a0*_]{0,4}[:：][ \t*_\u00a0]*(.*)$/u
const MARKS = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

interface Labelled {
  readonly kinds: ReadonlySet<Kind>
  readonly value: string
}

const OTHERS: ReadonlySet<Kind> = new Set(['other'])
const MAX_LINE = 1_000

function labelled(line: string): Labelled | undefined {
  if (line.length > MAX_LINE) return undefined
  const [, label = '', value = ''] = FIELD.exec(line.replace(MARKS, '')) ?? []
  if (label === '') return undefined
  const name = inLower(label.trim())
  const kinds = KINDS.get(name) ?? (OTHER.test(name) ? OTHERS : undefined)
  return kinds && { kinds, value }
}

/** Maximum number of lines of a quoted header, including long lists of recipients. */
const MAX_LINES = 20
/** Maximum number of consecutive lines without a label, which continue the field above. */
const MAX_UNLABELLED = 3

const EVIDENCE = /@[\p{L}\p{N}]|mailto:|\p{Nd}{1,2} ?[:.h時时시] ?\p{Nd}{2}/u

/**
 * Returns the index of the line after a quoted header that begins at `at`; undefined if no quoted header begins there.
 * A quoted header names the author, and the subject with the date or the recipient, and has an address or a time; a
 * similar list written by the author rarely has all of these parts.
 */
export function endOfQuotedHeader(lines: readonly string[], at: number): number | undefined {
  const first = labelled(lines[at]!)
  if (first === undefined || first.kinds.has('other')) return undefined
  const found = new Set<Kind>()
  let hasEvidence = false
  let end = at
  let unlabelled = 0
  for (let next = at; next < Math.min(lines.length, at + MAX_LINES); next++) {
    const line = lines[next]!
    const field = labelled(line)
    if (field === undefined && line.trim() === '' && lines[next + 1] !== undefined) {
      // A header that was converted from HTML has each field in a separate paragraph.
      if (labelled(lines[next + 1]!) === undefined || (found.has('subject') && found.has('from'))) break
      continue
    }
    if (field === undefined && (++unlabelled > MAX_UNLABELLED || line.trim() === '')) break
    for (const kind of field?.kinds ?? []) found.add(kind)
    if (field !== undefined) unlabelled = 0
    hasEvidence ||= EVIDENCE.test(line.slice(0, MAX_LINE))
    if (field !== undefined) end = next + 1
  }
  const isHeader = found.has('from') && found.has('subject') && (found.has('sent') || found.has('to'))
  return isHeader && hasEvidence ? end : undefined
}

/**
 * Matches "original message" and "forwarded message" in many languages, as mail clients write between two rows of
 * dashes.
 */
const ORIGINAL = new RegExp(
  `^(?:${[
    'original(?: e-?mail)? message|original message|original|forwarded message|reply message|begin forwarded message',
    'ursprüngliche (?:nachricht|e-?mail)|original-?nachricht|originalnachricht|weitergeleitete nachricht|anfang der weitergeleiteten (?:nachricht|e-?mail)',
    "message (?:d'origine|d’origine|original|initial|transféré)|courriel original|mail original|début du message (?:transféré|réexpédié)",
    'mensaje (?:original|reenviado)|inicio del mensaje reenviado|mensagem (?:original|encaminhada|reencaminhada)|missatge original|mensaxe orixinal',
    'messaggio (?:originale|inoltrato)|inizio messaggio inoltrato|oorspronkelijk bericht|oorspronkelijke e-?mail|doorgestuurd bericht',
    'ursprungligt meddelande|originalmeddelande|vidarebefordrat meddelande|oprindelig (?:meddelelse|besked)|opprinnelig melding|videresendt (?:besked|meddelelse|melding)',
    'alkuperäinen viesti|edelleenlähetetty viesti|algne (?:kiri|sõnum)|algkiri|oriģinālais ziņojums|sākotnējais ziņojums|originalus laiškas|pradinis (?:laiškas|pranešimas)',
    'oryginalna wiadomość|wiadomość oryginalna|wiadomość przekazana|przekazana wiadomość|původní (?:zpráva|e-?mail)|původní zpráva|pôvodná správa|přeposlaná zpráva',
    'izvorna poruka|originalna poruka|izvirno sporočilo|оригинална порука|исходное (?:сообщение|письмо)|пересылаемое (?:сообщение|письмо)|оригинальное сообщение',
    'вихідне повідомлення|оригінальне повідомлення|переслане повідомлення|оригинално (?:съобщение|писмо)|изначално писмо|арыгінальнае паведамленне',
    'αρχικό μήνυμα|προωθημένο μήνυμα|orijinal (?:mesaj|ileti)|özgün ileti|ilk ileti|iletilmiş mesaj|eredeti üzenet|továbbított üzenet|mesaj (?:original|iniţial|inițial)|mesajul original',
    'upprunaleg skilaboð|jatorrizko mezua|mesazhi origjinal|oorspronklike boodskap|pesan asli|mesej asal|orihinal na mensahe|tin nhắn gốc|thư gốc|ข้อความเดิม|ข้อความต้นฉบับ',
    'הודעה מקורית|ההודעה המקורית|הודעה שהועברה|الرسالة الأصلية|رسالة أصلية|رسالة محوّلة|پیام اصلی|اصل پیغام|मूल संदेश|মূল বার্তা',
    '原始邮件|回复的原邮件|回覆的原郵件|原始郵件|原始信件|原始訊息|邮件原件|原邮件|转发邮件|轉寄郵件|元のメッセージ|元のメール|転送メッセージ|원본 메시지|원본 메일|원본메일|전달된 메시지|original von|original from',
  ].join('|')})`,
  'iu',
)

/** Matches words between two rows of dashes or similar characters. */
const SEPARATOR =
  /^[\s>*]{0,10}[\p{Pd}_=*~]{2,60}[ \t]{0,10}([^\s\p{Pd}_=*~].{0,80}?)[ \t]{0,10}:?[\p{Pd}_=*~]{2,60}[\s*]{0,10}$/u
const RULE = /^[\s>*]{0,10}[\p{Pd}_=*~]{5,200}[\s*]{0,10}$/u

/**
 * Returns the kind of a line that separates the author's words from a quotation: `original` announces the quotation;
 * `rule` is any other line of dashes, which counts as a separator only above a quoted header.
 */
export function separatorOf(line: string): 'original' | 'rule' | undefined {
  if (line.length > 250) return undefined
  const words = SEPARATOR.exec(line)?.[1]
  if (words !== undefined)
    return ORIGINAL.test(inLower(words)) || introduces(`${words}:`, false) ? 'original' : 'rule'
  return RULE.test(line) ? 'rule' : undefined
}

/**
 * Matches the words "reply above this line" in many languages. Help desks write these words above their mail, often
 * between decorations.
 */
const ABOVE =
  /above this line|above the line|oberhalb dieser (?:zeile|linie)|über dieser (?:zeile|linie)|au-dessus de cette ligne|encima de esta línea|sopra questa (?:riga|linea)|acima desta linha|boven deze (?:regel|lijn)|ovanför (?:denna|den här) (?:raden|linjen)|over denne linj[ea]n?|tämän (?:rivin|viivan) yläpuolel|(?:powyżej|nad) (?:tej linii|tą linią|tego wiersza)|nad (?:tento řádek|tímto řádkem|tento riadok)|выше этой (?:строки|линии)|вище (?:цієї лінії|цього рядка)|bu satırın üst|πάνω από (?:αυτή|αυτήν) τη γραμμή|e fölé a sor fölé|ezen sor fölé|deasupra acestei linii|在此(?:行|线)(?:以)?上|此線以上|この行(?:より|の)上|이 (?:줄|선) 위/iu

/** True if a line is the reply marker of a help desk; all text below the marker is the help desk's own mail. */
export const isReplyMarker = (line: string): boolean =>
  line.length <= 300 && ABOVE.test(line) && /^[\s>]*[^\p{L}\p{N}\s>]{2}.*[^\p{L}\p{N}\s]{2}\s*$/u.test(line)
