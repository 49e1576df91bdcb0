// Type of the rules for phrases, and the phrases about the recipient: the mailbox, the domain, and restrictions of
// senders.

import type { AddressCategory, BounceCategory } from '../model/bounce-category.ts'

/**
 * Subject of a failure. `mailbox` with a category about the sender (`rate_limited`, `policy`) means that the mailbox
 * exists.
 */
export type About = 'mailbox' | 'us' | 'content' | 'destination' | 'transport'

/**
 * Evidence of the phrases of a rule against an address. `provider`: one provider uses the words only with this meaning;
 * `recipient`: the phrases name the mailbox or its user; `address`: the phrases name an address, an e-mail or a domain,
 * which in a reply to DATA may mean the message or a part of the message; `words`: the phrases name no subject.
 */
export type Evidence = 'provider' | 'recipient' | 'address' | 'words'

interface RuleOfWords {
  /** Subject of the failure, if different from the usual subject of the category. */
  readonly about?: About
  readonly greylisted?: true
  /** Class of the replies to which the rule applies; undefined for both classes. */
  readonly class?: 4 | 5
  /** Prefixes of the enhanced code without its class, of which one must match: `4.1`, or `1` for all of 5.1.x. */
  readonly subject?: readonly string[]
  /** Prefixes of the enhanced code without its class, for which the rule does not apply. */
  readonly notSubject?: readonly string[]
  /**
   * True if the rule does not apply to a reply with a fault of the recipient, because the same words describe hosts.
   */
  readonly notOfRecipient?: true
  /** True if the phrases are parts of host names and links, which other rules do not read. */
  readonly readsNames?: true
  /** Phrases in the notation of `readPhrase` in reply-text.ts, separated by commas. */
  readonly phrases: string
}

/** Phrases with one meaning. A category that counts against the address states its evidence. */
export type ReplyRule = RuleOfWords &
  (
    | { readonly category: AddressCategory; readonly evidence: Evidence }
    | { readonly category: Exclude<BounceCategory, AddressCategory>; readonly evidence?: undefined }
  )

/** 5.1.7 and 5.1.8 are about the sender's address and domain (RFC 3463 §3.2), in any words. */
const SENDERS = ['1.7', '1.8']

const BOX = '(mailbox|mail box|inbox|account|user|userid|recipient|receiver|address|addressee|box)'
/**
 * Nouns for a missing recipient. `IS_UNKNOWN` contains words for "missing" that follow such a noun, and `UNKNOWN`
 * contains words that precede such a noun.
 */
const WHO = `
  (user|username|userid|user id|receiver|maildrop|mail drop|recipient|mailbox|mail box|inbox|account|address|addressee|person|alias|customer|
  subscriber|rcpt|email|e mail)`
const IS_UNKNOWN = `
  (unknown|not found|not be found|no found|does not exist*|doesn t exist*|doesnt exist*|dosn t exist*|
  not exist*|
  no exist*|don t exist*|no longer exist*|non exist*|nonexist*|not valid|not a valid|invalid|isn t valid|
  not known|not recogni*|isn t recogni*|isn t hosted|isn t here|not hosted|not handled|not local|not registered|not reside*|not on this|not on our|not on post office|not a member|
  unrecogni*|not listed|not present|not defined|unallocated|undeliverable|incorrect|
  misspelled)`
const UNKNOWN = `
  (unknown|no such|invalid|nonexist*|non exist*|incorrect|wrong|illegal|undeliverable|unrouteable|
  unroutable|unrecogni*|can t find|cannot find|could not find|couldn t find|unable to find|no local|
  not a valid|not a known|don t exist*|doesn t exist*)`

/** The mailbox accepts only certain senders, so it exists. */
export const RESTRICTED: ReplyRule = {
  category: 'policy',
  about: 'mailbox',
  phrases: `
    not authorized to send to, not allowed to send to, not permitted to send to,
    do not have permission to send, does not have permission to send, permission to send to this recipient,
    (refuses|refused) to (receive|accept), not accept mail from, only accepts mail from,
    only accepts messages from, recipient only accepts,
    does not accept mail from, recipient preferences, restricted recipient, recipient restricted,
    internal use only, (internal|local) mail only, (internal|closed|private) (list|group|distribution list|address|mailbox),
    not reachable from (outside|the outside|external|the internet), not open to (outside|external|the outside), contacts only, closed (list|group|forum|mailing list), members only, non members,
    nonmembers, permission to post, not open to posting,
    (disabled|blocked|closed) for (external|outside|incoming|such|messages|attachments|unknown|all but),
    (user|recipient) (|has )disabled (external|delivery|mail from|messages from|attachments|incoming),
    (user|recipient|account|mailbox|addressee) (|has )blocked (you|your|this|the|mail|mails|messages|delivery|senders),
    blocked by (the |a |)(user|recipient|addressee|owner), (mailbox|user|recipient|account|address) .. is restricted,
    no longer (accept|accepts|accepting) (mail|messages|email|emails|e mail|e mails) (with|without|from|over|containing|larger|that|which)`,
}

export const DISABLED: ReplyRule = {
  category: 'mailbox_disabled',
  evidence: 'recipient',
  phrases: `
    ${BOX} ... (disabled|suspended|inactive|discontinued|frozen|switched off|turned off|shut down|retired), ${BOX} .. (locked|expired|closed|
    terminated|cancelled|canceled|deleted|removed|banned|hibernat*), (disabled|suspended|inactive|blocked|closed|expired|
    deactivated|frozen|locked|terminated|deleted|cancelled|banned|retired) (mailbox|mail box|inbox|
    account|user|recipient|address), ${BOX} (blocked|is blocked|has been blocked|was blocked),
    mailbox ... has closed it,
    (mailbox|account|user|address) .. not (in use|used) (any more|anymore|any longer),
    not accepting any (mail|messages), not (currently |)being accepted for (this|that|the) (mailbox|user|recipient|account),
    (mailbox|account|address) ... inactivity, archived recipient,
    ${BOX} ... (deactivated|not active|not been activated|not activated),
    ${BOX} ... no longer (active|in use|used|available|valid|accept*|works|employed|an employee|monitored|receiv*),
    (mailbox|user|recipient) has moved, mailbox owner has changed, compte desactive, compte suspendu,
    compte bloque, compte du destinataire est (bloque|desactive|suspendu),
    boite du destinataire (est |)(archivee|desactivee|suspendue), postfach ... gesperrt, konto ... gesperrt,
    cuenta ... desactivada,
    cuenta ... suspendida, (usuario|cuenta|buzon|casilla|conta) ... (inactiv*|inativ*),
    (cuenta|buzon|casilla|conta) ... expirad*`,
}

/** Words for a disabled mailbox without a noun, for replies that are about a recipient anyway. */
export const DISABLED_BARELY: ReplyRule = {
  category: 'mailbox_disabled',
  evidence: 'words',
  phrases: `
    (disabled|suspended|inactive|blocked|closed|expired) email,
    disabled or discontinued, inactive on this, deactivated, not active, not been activated,
    not activated, extended inactivity,
    no longer (active|in use|used|available|valid|accept*|works|employed|an employee|a customer|a client|a member|a subscriber|a user|a student|with|monitored|receiv*), former employee,
    status (|is )(disabled|inactive|suspended|closed|terminated|deleted),
    administratively (disabled|closed|locked|suspended|blocked|terminated|removed|deactivated),
    (disabled|closed|locked|suspended|terminated|removed|deactivated) administratively,
    not in use, not used (any more|anymore|any longer),
    (user|account|mailbox|recipient) .. (has to|needs to|must|should) .. (log in|login|sign in|be activated) ... (mail|messages),
    (address|mailbox|account|user) (does not|doesn t) accept (incoming |any |)(mail|mails|email|messages).,
    (can|may|will) receive no (mail|email|e mail|messages), (cannot|can t|can not|not able to|unable to) receive (any |)(mail|email|e mail|messages),
    deaktiviert, por falta de uso, per inutilizzo, zablokowan*`,
}

/** Nouns for the owner of a full storage. */
const OWNER = '(mailbox|mail box|inbox|maildir|mailfolder|user|recipient|account|customer|addressee|person)'

/** Too many messages, or too little disk space; replies use the same words for a rate or a busy host. */
export const FULL_OF_MESSAGES: ReplyRule = {
  category: 'mailbox_full',
  phrases: `
    too many (messages|mails|emails|e mails) .. (in|on|for) .. (mailbox|inbox|mail box|folder|account),
    (mailbox|inbox|user|recipient|account) .. (has|holds|contains) .. too many (messages|mails|emails|e mails),
    (message|messages) (count |)quota, quota of messages, quota ... number of messages,
    maximum number of (messages|mails|emails) ... (stored|mailbox|inbox),
    (mailbox|inbox|recipient|user|account|customer) ... (disk space|disk quota|space left|storage space|enough space|
    enough room|more space|more room|more messages|without space|used up),
    (disk space|disk quota|storage space|space|room) .. (in|for|of|on) .. (mailbox|inbox|recipient|user|account),
    ${OWNER} ... (not enough|not have enough|insufficient|lacks|run out of|ran out of|out of|no|no more) .. (space|diskspace|room|storage|quota),
    ${OWNER} .. (space|diskspace|storage|quota) .. (not enough|insufficient|used up|full|exhausted|exceeded),
    ${OWNER} ... (cannot|can t|can not|unable to) (hold|take|store|keep) (any |)more,
    mailbox is at its limit, exhausted ... (space|quota|storage), (quota|storage|space) ... exhausted`,
}

/** A full mailbox in other languages: its nouns and the stems of its state. */
const FULL_ELSEWHERE = `
    (postfach|posteingang|mailbox|briefkasten) ... voll, (uberfullt|ueberfuellt), speichervolumen, speicherplatz,
    zu viele (mails|nachrichten) auf dem server, zuviele mails,
    (boite|bal|messagerie) ... (pleine|saturee|sature|remplie), quota .. (depass*|atteint),
    (buzon|bandeja|casilla|correo) ... (llen*|saturad*), (cuenta|buzon|usuario|casilla) ... (cuota|limite|espacio),
    (cuota|espacio) .. (excedid*|superad*|agotad*|insuficiente),
    (caixa|conta) ... (cheia|lotada|limite|cota|quota), (cota|quota) .. (excedid*|ultrapassad*|esgotad*),
    (casella|mailbox|account) ... (piena|pieno|spazio|superat*), spazio .. (esaurit*|insufficiente),
    (skrzynka|skrzynki|konto) .. (pelna|pełna|przepelnion*|przepełnion*|limit), przekroczon* .. (limit*|quota|pojemnosc*|skrzynk*),
    (mailbox|postvak|postbus) .. vol, (brevladan|postkassen|postkassa|inkorgen) .. (full|fuld), postilaatikko .. taynna,
    schranka .. (plna|preplnen*), posta kutusu .. dolu, kotasi .. (doldu|asildi), postafiok .. megtelt,
    переполнен*, переповнен*, ящик .. (заполнен*|заповнен*), (run|ran) out of (room|space), kein* (platz|speicher) mehr, ящик .. (полон|полна), квот*, (邮箱|信箱|空间|容量) .. (已满|已滿|不足|超限), 邮箱已满, 空间不足,
    メールボックス .. いっぱい, (容量|メールボックス) .. (超過|超え), 사서함 .. 가득`

export const FULL: ReplyRule = {
  category: 'mailbox_full',
  phrases: `
    (mailbox|mail box|inbox|maildir|account|mailfolder|recipient|storage) .. (full|filled up|filled), (folder|user) is full,
    (size|limit|capacity|quota) of (the |this |that |)(recipient s |user s |)(mailbox|inbox|account|user|recipient),
    (largest|maximum|max|allowed|permitted) .. (mailbox|inbox|account) (size|limit|space|capacity),
    (mailbox|inbox|account) .. (over|above|beyond|past|reached|exceed*) .. (limit|size|quota|capacity),
    exceed* .. (allowed|available|permitted) (storage|space|quota), full (mailbox|inbox), over quota, overquota, out of quota, quota exceed*, quota full, quota violation,
    (exceed*|above|over|overdrawn) ... quota, (quota|quotas) .. (exceed*|overdrawn|overrun|reached), (disk|mailbox|storage) quota,
    exceeded ... storage, out of storage, storage (limit|space|allocation|full), mailbox ... exceed*, mailbox size limit, mailbox limit,
    mailbox ... (not enough|insufficient|no) space, no space left in mailbox, mailbox over,
    user has too many messages, (mailbox|inbox|user|recipient|account) .. too much data, (cannot|can t|unable to|not able to) receive any more (mail|messages|email|e mail), insufficient ... mailbox, boite ... pleine, bal pleine, quota depasse,
    ${FULL_ELSEWHERE}`,
}

/**
 * Missing space without a noun for the owner. A permanent refusal is about the mailbox, and a temporary refusal is
 * about the host.
 */
export const FULL_FOR_GOOD: ReplyRule = {
  category: 'mailbox_full',
  class: 5,
  notSubject: ['3'],
  phrases: `
    (not enough|insufficient|no|no more) (disk space|diskspace|storage space|storage|space left), insufficient disk space,
    would exceed .. (storage|space)`,
}

export const NOT_FOUND: ReplyRule = {
  category: 'mailbox_not_found',
  evidence: 'recipient',
  notSubject: SENDERS,
  phrases: `
    (user|userid|receiver|recipient|mailbox|account|addressee) (is |)(unknown|invalid), (user|userid|receiver|recipient|mailbox|
    account|addressee) (is |)not (known|found|valid|present|exist*), (unknown|no such|invalid|non existent|
    bad) (user|recipient|mailbox|account), validrcptto, (unknown|no such|invalid|non existent|
    bad) (person|alias), no such user or domain, nosuchuser, nosuchrecipient, nosuchmailbox, (recip|recipient|user|mailbox|account|address)notfound*,
    (user|recipient)unknown, unknown(user|recipient),
    (user|recipient) not ok, no local (user|mailbox), no email account, no valid recipient,
    no matching recipient, user not local,
    not local user, recipient (verify|verification) failed, recipient cannot be verified,
    no (account|recipient|user|mailbox|mail box|alias) (by|with|under|here|of|named|for|at|on|found|available),
    (cannot|could not|can t|couldn t|unable to) (find|locate) (a |the |that |alias |)(user|mailbox|recipient|account|alias),
    recipient no longer on, (not a|not|no) user (here|of this), not a member of domain, missing home directory, we have no (mailbox|account|user),
    (recipient|user|mailbox) not in .. (list|directory|post office|address book), in my list of allowed recipients, nothing known about (user|recipient|mailbox|account), (don t|do not) know (anyone|anybody), alias (doesn t|does not) point, user have no (mail|mailbox|account), no one using (this|that) (address|mailbox|account), kennt hier keiner, not a (recognised|recognized) (email |e mail |mail |)(account|user|mailbox|recipient), user not a member, not in the valid recipients list,
    (doesn t|does not|don t|do not) have ... (account|mailbox|mail box|inbox), (doesn t|does not) have an address here, (user|recipient|person|addressee|customer|he|she) .. has no .. (account|mailbox|mail box|inbox),
    invalid .. (userid|user id), (don t|doesn t|do not|does not) (know|recognize|recognise) (this|that|the) (person|user|recipient|mailbox|addressee), (user|recipient) email address is marked as invalid,
    not an active (mailbox|account|user),
    (doesn t|does not) handle mail for (that|this) (user|address|recipient),
    not a valid (recipient|mailbox|user), bad destination (mailbox|address)*,
    unknown local part, unknown or illegal alias, unknown in local recipient table,
    unknown in (virtual|relay)*, not our (customer|user), not a known user, not a registered (gateway |
    )(user|recipient|mailbox), no one here by that name, not a customer,
    benutzer nicht bekannt, unbekannter benutzer, unbekannter empf*,
    kein postfach, personne (de|a) ce nom, utilisateur inconnu, destinataire inconnu, destinataire invalide,
    compte inconnu, compte inexistant, usuario desconocido, usuario no encontrado, destinatario desconocido,
    utente sconosciuto, destinatario sconosciuto,
    nessun utente, destinatario (errato|incorrecto|invalido|no valido), usuario desconhecido,
    usuario inexistente, destinatario desconhecido`,
}

/** A mailbox that is not there, in other languages: its nouns and the stems of its state. */
export const NOT_FOUND_ELSEWHERE: ReplyRule = {
  category: 'mailbox_not_found',
  evidence: 'recipient',
  notSubject: SENDERS,
  phrases: `
    (kein|keinen) .. (benutzer|empfanger|empfaenger|postfach|teilnehmer), (benutzer|empfanger|empfaenger|adressat|postfach|konto|teilnehmer) .. (unbekannt*|existiert|ungultig*|nicht vorhanden|nicht gefunden),
    (utilisateur|destinataire|compte|boite|usager) .. (inconnu*|inexistant*|introuvable*|invalide*|n existe),
    (usuario|destinatario|cuenta|buzon|casilla) .. (desconocid*|inexistente*|no existe|no encontrad*|erroneo|erronea|invalid*|no valid*|no se encuentra|no se encontro),
    (usuario|utilizador|destinatario|conta|caixa) .. (desconhecid*|inexistente*|nao existe|nao encontrad*|invalid*),
    (utente|destinatario|destin|casella|account) .. (sconosciut*|inesistente*|non esiste|non trovat*|errat*|non valid*),
    (uzytkownik|użytkownik|odbiorca|odbiorcy|konto|skrzynka|adresat) .. (nieznan*|nie istniej*|nie znalezion*|nieprawidlow*|nieprawidłow*), (nieznan*|nieprawidlow*|nieprawidłow*) .. (odbiorc*|uzytkownik*|użytkownik*|adresat*),
    (usuario|destinatario|utilizador) (no|nao) (tiene|dispone|posee|tem|possui|dispoe) .. (cuenta|buzon|casilla|conta|caixa postal),
    (utente|destinatario) non (ha|dispone|possiede) .. (casella|account|mailbox),
    (utilisateur|destinataire|usager) (n a|ne possede|ne dispose) .. (compte|boite|bal|messagerie),
    (benutzer|empfanger|empfaenger|adressat|teilnehmer) (hat|besitzt) .. kein (konto|postfach|benutzerkonto), (gebruiker|ontvanger) heeft .. geen (account|mailbox|postvak|postbus),
    (uzytkownik|użytkownik|odbiorca|adresat) nie (ma|posiada) .. (konta|skrzynki), (пользователь|получатель|адресат) не имеет .. (ящика|аккаунта),
    у (пользователя|получателя|адресата) нет .. (ящика|аккаунта),
    nie ma takiego, nie ma takiej, nie znaleziono .. (uzytkownika|użytkownika|odbiorcy|konta|skrzynki), brak uzytkownika, brak użytkownika, brak takiego,
    (onbekende|ongeldige) (gebruiker|ontvanger), (gebruiker|ontvanger|mailbox|postvak|postbus) .. (onbekend*|bestaat niet|niet gevonden),
    (mottagaren|anvandaren|brugeren|brukeren|modtageren|mottakeren|kontot|kontoen) .. (finns inte|findes ikke|finnes ikke|okand*|ukendt*|ukjent*),
    (okand|ukendt|ukjent) (mottagare|anvandare|bruger|bruker|modtager|mottaker), (kayttajaa|vastaanottajaa) .. (loydy|ei), tuntematon (kayttaja|vastaanottaja),
    (uzivatel|uživatel|prijemce|adresat|schranka) .. (neexist*|neznam*|nenalezen*), neznam* .. (uzivatel*|prijem*|adresat*),
    nincs ilyen .. (felhasznal*|cimzett|postafiok|cim), (felhasznalo|cimzett) .. (ismeretlen|nem letezik|nem talalhato), ismeretlen (felhasznalo|cimzett),
    (utilizator|destinatar) .. (necunoscut*|inexistent*|nu exista), nu exista .. (utilizator*|destinatar*),
    (kullanici|kullanıcı|alici|alıcı) .. (bulunamadi|bulunamadı|yok|bilinmiyor), boyle bir .. (kullanici|kullanıcı|alici|alıcı|hesap|adres),
    нет такого, такого .. нет, нет такои, (пользователь|получатель|адресат|ящик|користувач|одержувач) .. (не наиден*|не существует|неизвестен|не знаиден*|не існує|невідом*),
    (неизвестн*|несуществующ*|невідом*|неіснуюч*) .. (пользовател*|получател*|адресат*|ящик*|користувач*|одержувач*),
    (用户|用戶|收件人|收信人|邮箱|信箱|账号|帐号|帳號|使用者|联系人) .. (不存在|未知|未找到|找不到|无效|無效|错误), (收件人|邮箱|账号|帐号) .. (未注册|未註冊|未开通), (收件人|用户|员工|联系人) .. (离职|離職), 无此用户, 无此邮箱, 查无此, 查無此,
    宛先不明, (メールボックス|アカウント|ユーザー) .. ありません, (ユーザー|ユーザ|宛先|受信者|メールアドレス|メールボックス|アカウント) .. (存在しま|見つかりま|不明|存在しない), (사용자|수신자|받는 사람|계정) .. (존재하지|없|찾을 수), 존재하지 않는 (사용자|수신자|계정),
    ไม่พบ .. (ผู้ใช้|ผู้รับ), ไม่มี .. (ผู้ใช้|ผู้รับ)`,
}

/** A mailbox that is not in use, in other languages: its nouns and the stems of its states. */
export const DISABLED_ELSEWHERE: ReplyRule = {
  category: 'mailbox_disabled',
  evidence: 'recipient',
  phrases: `
    (postfach|konto|mailbox|benutzer|benutzerkonto|empfangerkonto|empfaengerkonto|empfanger|empfaenger|adresse) .. (gesperrt*|deaktiviert*|geloscht*|geloescht*|abgeschaltet*|stillgelegt*|geschlossen*|inaktiv*),
    (boite|boite aux lettres|compte|bal|adresse|utilisateur) .. (desactiv*|suspendu*|ferme|fermee|supprim*|cloture*|inactif|inactive|resili*),
    (cuenta|buzon|casilla|usuario) .. (desactivad*|deshabilitad*|inhabilitad*|suspendid*|cerrad*|cancelad*|eliminad*|bloquead*),
    (conta|caixa|caixa postal|usuario|utilizador) .. (desativad*|desabilitad*|suspens*|encerrad*|cancelad*|excluid*|bloquead*),
    (casella|account|utente|mailbox|indirizzo) .. (disattivat*|disabilitat*|sospes*|chius*|cancellat*|eliminat*),
    (konto|skrzynka|uzytkownik|adres) .. (zablokowan*|nieaktywn*|usuniet*|zawieszon*|wylaczon*|wyłączon*),
    (mailbox|postbus|postvak|account|gebruiker|adres) .. (opgeheven|uitgeschakeld|gedeactiveerd|geblokkeerd|verwijderd|gesloten),
    (kontot|brevladan|anvandaren|kontoen|brukeren|brugeren|postkassen) .. (avstangt|avslutat|inaktiv*|sparrat|sparret|sperret|deaktivert|deaktiveret|nedlagt|lukket),
    (schranka|ucet|uzivatel) .. (zablokovan*|zrusen*|neaktivn*|deaktivovan*),
    (ящик|аккаунт|учетная запись|пользователь|адрес|скринька) .. (удален*|отключен*|заблокирован*|неактив*|закрыт*|приостановлен*|заморожен*|видален*|вимкнен*),
    hesap .. (devre disi|kapali|kapatil*|askiya), hesabi .. (devre disi|kapali|kapatil*|askiya),
    (邮箱|账户|账号|帐号|用户|信箱|帳號|使用者) .. (停用|禁用|冻结|凍結|注销|註銷|锁定|关闭|过期|休眠|删除|刪除|取消), (アカウント|メールボックス) .. (停止|無効|凍結|解約|廃止|削除|閉鎖|退会), (ユーザー|ユーザ) .. (退会|削除|停止),
    (계정|사용자|메일함|사서함) .. (삭제|정지|휴면|비활성|폐쇄|탈퇴)`,
}

/** Words for a missing address or e-mail; both nouns may also mean a part of the message or the message itself. */
export const ADDRESS_NOT_FOUND: ReplyRule = {
  category: 'mailbox_not_found',
  evidence: 'address',
  notSubject: SENDERS,
  phrases: `
    address (is |)(unknown|invalid), address (is |)not (known|found|valid|present|exist*), (unknown|no such|
    invalid|non existent|bad) (address|email*|e mail*), not an active address, not a valid (address|email*),
    (unrouteable|unroutable|undeliverable) address, not a registered (gateway |)address,
    email* ... (does not exist|doesn t exist|not found|not be found|couldn t be found),
    (adresse|empfangeradresse|empfaengeradresse|mailadresse|emailadresse|zieladresse) .. (unbekannt|existiert|ungultig*|inconnue|inexistante|invalide|introuvable|n existe),
    (direccion|indirizzo|endereco|direccion de correo) .. (erronea|errat*|incorrect*|inexistente*|no existe|non esiste|nao existe|no valid*|invalid*|desconocid*|inesistente),
    (adres|adresa) .. (nie istnieje|nieznany|bestaat niet|onbekend|neexistuje|ongeldig), адрес .. (не существует|не наиден|неизвестен), (邮件地址|邮箱地址|电子邮件地址) .. (不存在|无效|错误),
    unbekannte adresse, indirizzo sconosciuto, indirizzo errato,
    nieznany adres, 地址不存在`,
}

/** A mailbox or its domain is not in use; in both cases nobody receives mail at the address. */
export const MAILBOX_OR_DOMAIN: ReplyRule = {
  category: 'mailbox_disabled',
  evidence: 'recipient',
  phrases: `${BOX} or domain (is |was |has been |)(disabled|suspended|inactive|deactivated|locked|closed|expired|not active)`,
}

/** A domain that is no longer in use, in words that are also used for mailboxes. */
export const DOMAIN_ENDED: ReplyRule = {
  category: 'domain_invalid',
  evidence: 'address',
  notSubject: SENDERS,
  phrases: `
    domain (|name )(|hostname0 )(|is |was |has |has been )(retired|obsolete|discontinued|cancelled|canceled|terminated|deactivated|
    decommissioned|dissolved|given up|no longer hosted|no longer served|no longer in use|no longer active|no longer exists|no longer valid|
    no longer used|not in use|not used|no more|shut down|closed|closed down|deleted|abandoned|
    removed|ended|gone|ceased|has ceased|unused|expired|suspended|disabled|inactive|not active|not yet active|not activated),
    domain (|hostname0 )(wurde|ist) .. (gekundigt|gekuendigt|geloscht|geloescht|abgemeldet),
    (retired|obsolete|discontinued|abandoned|deactivated|dead) domain`,
}

export const DOMAIN: ReplyRule = {
  category: 'domain_invalid',
  evidence: 'address',
  notSubject: SENDERS,
  phrases: `
    domain not found, domain ... not found, (unknown|invalid|no such) domain, domain (unknown|invalid|
    not exist*|not hosted|not local|not served), no domain, bad destination system, domain is not reachable,
    domain not reachable, host does not accept mail, domain ... does not exist, domain doesn t exist,
    domain is not hosted, domain ... (not hosted here|disabled|suspended|expired),
    could not find a mail server for, domain name not found, domain has no mail*,
    domain does not accept*, domain ... does not accept mail, not a local domain, not our domain,
    (do|does) not handle mail for, do not accept mail for this domain, host unknown, unknown host,
    host not found, no such host, (unrouteable|unroutable) (mail |)domain, null mx, nullmx, no mx,
    all relevant mx records, domaine inconnu, domaine inexistant, domain unbekannt, dominio ... no existe,
    dominio inesistente`,
}

/**
 * The host does not accept mail for the domain, or not from this client; what the reply says about the mailbox does not
 * count.
 */
export const RELAY: ReplyRule = {
  category: 'policy',
  about: 'destination',
  phrases: `
    relay access denied, account for this domain, (relay|relaying) denied, relaying, relay not *,
    (not|unable to|cannot|can t|don t) relay, (permitted|allowed) to relay, relay ... prohibited, no relay*,
    open relay, openrelay, unauthorized relay, denies relay, rcpthosts, local user only, not a gateway, relaisation`,
}

/** Rule that comes after the phrases about the domain, which would match within the gaps of these phrases. */
export const NOT_FOUND_LOOSELY: ReplyRule = {
  category: 'mailbox_not_found',
  evidence: 'words',
  notSubject: SENDERS,
  phrases: `
    no such (local|virtual|id|mail), (mailbox|account) (is |)missing, (don t|doesn t|do not|does not) have (a|any|such a) (customer|user|subscriber|mailbox|account|recipient|person|member),
    no (subscriber|customer|user|person) has (this|that|such), no (inbox|mailbox|account|user) exists,
    (пользователя|адреса|ящика|получателя) .. не существует, (没有|沒有) .. (用户|用戶|收件人|邮箱), 使われていません, recipient address syntax, (there is |)(nobody|no one|noone) (called|named|with|by|of),
    (nadie|nessuno|ninguem|personne|niemand) .. (email|correo|nombre|nome|nom|namen|adresse|direccion|endereco|indirizzo),
    not available here, not on our (server|mailserver|mail server|system), address (does not|doesn t) receive (mail|mails|email|emails|e mail|messages)., no (valid|vaild) (recipients|receivers) were found,
    not found in .. server, no se encuentra en, no se encuentra in, (address|alias) (lookup|look up) .. failed, not on .. list of valid,
    don t exist*, mailbox name, unknown local, no longer on,
    not known here, not known at this*, does not (live|work) here, no longer exist*, isn t on this, nobody here,
    존재하지, 見つかりません,
    ${WHO} ... ${IS_UNKNOWN}, ${UNKNOWN} .. ${WHO}, does not exist, doesn t exist, doesnt exist,
    do not exist, not exist*, nonexistent*, not here, no (account|recipient|user|mailbox|mail box),
    not a (mailbox|user|recipient), not one of (ours|our users|our customers|our recipients|our addresses), (user|recipient|mailbox|address) .. not configured,
    (user|recipient|mailbox|address) not in .. directory, no such, no one, nobody, not user of,
    not in .. (recipient|recipients) list, not found in ldap, wrong recipients, could not be found, couldn t be found, could not be located,
    left the (company|organi*), don t know .. user, inexistent, (doesn t|not) have .. (account|mailbox),
    benutzer ... unbekannt,
    empfanger ... unbekannt, empfaenger ... unbekannt, existiert .. nicht, nicht bekannt, adresse ... invalide,
    boite ... inconnue, n existe pas, inexistant*, inexistente*, usuario ... no existe, buzon ... no existe,
    no existe, utente ... non trovato, casella ... non trovata, inesistente, non esiste, nao existe,
    nao encontrad*, nie istnieje, neexistuje, neznamy*, bestaat niet, okand*, finns inte, findes ikke,
    ukendt*, не существует, не найден*, неизвестный*, 找不到, 不存在, 存在しません`,
}
