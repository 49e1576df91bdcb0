// Vocabulary for reading the text of replies, in many languages: nouns, faults (phrases such as "unknown" or "does not
// exist", which say that the thing named by the noun is missing or unusable), and function words.

import type { AddressCategory, BounceCategory } from '../model/bounce-category.ts'
import { plain } from './reply-text.ts'

/** Category of a refusal for a fault of something other than the address. */
export type OtherCategory = Exclude<BounceCategory, AddressCategory>
export type Kind = 'recipient' | 'address' | OtherCategory

const words = (text: string): string[] => text.trim().split(/\s+/)
const plainWords = (text: string): string[] => words(plain(text))

/** Nouns for a mailbox and for its owner. */
const RECIPIENT = `
  user users username userid anwender recipient recipients receiver receivers rcptto maildrop mailbox mailboxes inbox account accounts addressee person alias aliases
  customer subscriber rcpt employee student colleague letterbox professor inhabitant mitglied vereinsmitglied medarbejderen personel mailkonto postilaatikko persona pessoa personne contul mitarbeiter mitarbeiterin kunde employe empleado titular dipendente funcionario persoon medewerker pracownik сотрудник postfach benutzer benutzerkonto empfangerkonto empfaengerkonto empfanger empfaenger empfangers empfaengers konto destinataire utilisateur compte
  boite usuario destinatario cuenta buzon casilla utente casella conta caixa gebruiker ontvanger postvak odbiorca
  uzytkownik adresat adressat abonnent teilnehmer abonne titulaire usager membre mottagaren mottagare anvandaren
  anvandare brugeren bruger brukeren bruker modtageren modtager mottakeren mottaker kontot kontoen kayttaja kayttajaa
  vastaanottaja uzivatel prijemce adressaten mottager modtageren schranka skrzynka felhasznalo cimzett cimzettje postafiok postafiokja postafioka utilizator destinatar kullanici kullanıcı
  cont tili kutusu brugerens brukerens modtagerens mottakerens anvandarens
  primatelj primatelja primalac primaoca sanducic sanduce pretinac nalog naslovnik prejemnik predal pouzivatel pouzivatelia prijemca adresata
  kasutaja kasutajat kasutajakonto saaja postkast postkasti vartotojas vartotojo gavejas gavejo paskyra dezute lietotajs lietotaja sanemejs konts pastkaste
  потребител потребителят получателят кутия корисник корисникот корисникът примач примаоц примачот налог usuari destinatari bustia recepient recipent reciepient receipient acount
  alici hesap utilizador destinataria korisnik uporabnik postbus geadresseerde brevladan brevlada postkassen postkassa mottagarens hesabi skrzynki kisi nguoi pengguna penerima akun χρηστης παραληπτης λογαριασμος המשתמש הנמען
  התיבה المستخدم المستلم الحساب пользователь пользователя получатель получателя адресат адресата запись записи ящик аккаунт користувач одержувач`
const ADDRESS =
  'address addresses mailaddress adress addres adressen adresa adresu aadress adresas adrese adreca postadress адреса адресът διευθυνση mottagaradressen empfangeradresse empfaengeradresse mailadresse emailadresse mailadres emailadres emailaddress email emails mail mails adresse adres adresa direccion indirizzo endereco adresi osoite osoitetta адрес'

/** Nouns for other things that can be unknown or invalid, and the category of such a refusal. */
const OTHERS: readonly (readonly [OtherCategory, string])[] = [
  [
    'content',
    `date time timezone zone subject boundary signature signatures charset character characters codepage encoding
    content body data header headers field line lines format attachment attachments archive html url urls
    uri link links message messages id identifier key keys selector tag label template type macro macros image images
    calendar language text version references record records mailing newsletter conversion unsubscribe list lists number numbers statement entry book
    datum betreff zeichensatz signatur schlussel kopf kopfzeile nachricht anhang inhalt kodierung grenze objet encodage
    codage caracteres tete champ fichier lien contenu firma fecha asunto codificacion cabecera mensaje adjunto enlace
    codifica oggetto intestazione messaggio allegato assinatura cabecalho mensagem anexo codificacao handtekening
    tekenset onderwerp bericht bijlage podpis temat wiadomość załącznik nagłówek подпись кодировка дата тема вложение
    письмо сообщение`,
  ],
  [
    'tls',
    `certificate certificates cert certs cipher ciphers tls ssl zertifikat certificat certificado certificato
    certificaat certyfikat сертификат`,
  ],
  [
    'other',
    `configuration configurations config setting settings setup journal journaling filter scanner licence license
    feature session token connector backend storage cluster tenant table queue smarthost file files script transport map entry milter index database error errors fehler erreur errore erro blad błąd fout fel ошибка failure reason module plugin resource service
    konfiguration einstellung configuracion configurazione configuracao configuratie konfiguracja конфигурация`,
  ],
  [
    'policy',
    'policy policies rule rules agent network peer country client helo ptr family proxy servidor serveur сервер хост узел sunucu szerver palvelin',
  ],
  ['protocol', 'parameter parameters argument arguments option options command'],
]

/** Nouns for the recipient of a mail that never mean the sender. */
export const RECIPIENT_ONLY: ReadonlySet<string> = new Set(
  plainWords(`recipient recipients receiver receivers rcptto rcpt maildrop addressee empfangerkonto empfaengerkonto empfanger empfaenger empfangers empfaengers
  destinataire destinatario destinataria ontvanger odbiorca adresat adressat mottagaren mottagare modtageren modtager
  mottakeren mottaker vastaanottaja vastaanottajaa prijemce cimzett destinatar alici penerima παραληπτης הנמען المستلم
  получатель получателя адресат адресата одержувач primatelj primalac prejemnik prijemca saaja gavejas sanemejs получателят примач destinatari`),
)

/** Nouns that change the meaning of the preceding noun: a mailbox server, a user table. */
export const COMPOUNDS: ReadonlySet<string> = new Set(
  `server servers host hosts database table tables service services backend store storage system object objects directory
  group groups interface agent verification callout lookup quota rule rules`.split(/\s+/),
)

/** Kind of each noun. */
export const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...OTHERS.flatMap(([category, nouns]) => plainWords(nouns).map((noun) => [noun, category] as const)),
  ...plainWords(ADDRESS).map((noun) => [noun, 'address'] as const),
  ...plainWords(RECIPIENT).map((noun) => [noun, 'recipient'] as const),
])

/** Faults that precede or follow their noun. */
const EITHER_SIDE = `
  unknown|unkown|unknow|unknwon|uknown|invalid|invaild|unvalid|bad|wrong|incorrect|illegal|malformed|broken|missing|unsupported|unrecogni[sz]ed|undeliverable|
  non ?existent|non existing|(?:not|isn t|wasn t) a (?:valid|deliverable)|no valid|no such|no longer valid|not valid|expired|disabled|inactive|suspended|closed|deactivated|locked|terminated|deleted|retired|unassigned|defunct|obsolete|dead|non working|cancel?led|dormant|archived|discontinued|
  (?:do|does|did|could|can) ?not (?:know|find|locate)(?: the| this| that| any| a)?|(?:don|can|couldn) t (?:know|find|locate)(?: the| this| that| any| a)?|
  unable to (?:find|locate)(?: the| this| that| any| a)?|unbekannt\\p{L}*|ungultig\\p{L}*|inconnue?s?|invalides?|desconocid[oa]s?|no valid[oa]s?|invalid[oa]s?|inexistente?s?|inexistante?s?|
  sconosciut[oaie]|non valid[oaie]|desconhecid[oa]s?|onbekende?|ongeldige?|nieznan\\p{L}*|okand|ukendt|ukjent|neznam\\p{L}*|
  nepoznat\\p{L}*|nepostojec\\p{L}*|tundmatu|nezinom\\p{L}{1,3}|nezinam\\p{L}{1,3}|desconegu[td]\\p{L}?|αγνωστ\\p{L}{1,2}|непознат\\p{L}*|несъществуващ\\p{L}*|
  ismeretlen|necunoscut|неизвестн\\p{L}*|несуществующ\\p{L}*|невідом\\p{L}*`
/** Faults that only follow their noun. */
const BEHIND = `
  not (?:be )?found|(?:does|do|did) not exist\\p{L}*|doesn t exist\\p{L}*|don t exist|not exist\\p{L}*|not (?:well )?known|
  must exist|has to exist|not recogni[sz]ed|not (?:be )?located|not supported|isn t supported|isn t valid|isn t known|not available|unavailable|locked|closed|deactivated|terminated|frozen|
  absent|undefined|not present|not listed|not registered|(?:does|do|did) not belong|not one of ours?|goes by|yok|isn t (?:known|listed|registered)|(?:was|has) never \\p{L}+|gibt es .{0,20}nicht|existiert .{0,20}nicht|nicht (?:bekannt|gefunden|gultig)|n existe pas|introuvable|
  no existe|no encontrad[oa]|non esiste|non trovat[oa]|nao existe|nao encontrad[oa]|bestaat niet|niet gevonden|
  nerast\\p{L}{1,2}|neegzistuoja|neeksiste|neobstaja|nenajden\\p{L}?|nenasiel|nav atrast\\p{L}?|no existeix|no s ha trobat|
  nie istnieje|finns inte|findes ikke|finnes ikke|neexistuje|nu exista|bulunamadi|bulunamadı|kay[iı]tl[iı] degil|mevcut degil|
  不 存 在|找 不 到|查 无 此 人?|存 在 し ま せ ん|見 つ か り ま せ ん|使 わ れ て い ま せ ん|あ り ま せ ん|не наиден\\p{L}*|не существует|
  не існує`

/** Words before a noun that negate its existence. */
const NONE = `
  kein(?:e|en|er)?(?: solche[rn]?)?|aucune?|ningun[ao]?|nenhuma?|nessun[ao]?|geen|brak|zadn\\p{L}{1,3}|ingen|pas de|no hi ha cap|nema(?: takvog| takve)?|няма такъв|няма|nincs(?: ilyen)?|нет(?: такого| такои)?|нема(?: такого)?|
  no (?:record|trace) of(?: the| this| that| any| a)?|no (?:entry|match|record)(?: for)?|no(?= (?:such |local |valid |active |e?mail )?(?:mailbox|inbox|account|user|alias|customer|subscriber|recipient|person|address|employee|student|member|one)(?:es|s)? )|nobody|no one|personne de|no tenemos(?: ningun| ninguna)?|non (?:conosciamo|abbiamo)|nao (?:conhecemos|temos)|(?:ne )?connaissons pas|(?:kennen|haben)(?: wir)? kein\\p{L}{0,2}|isn t any|is not any|nie znaleziono|nie znamy(?: takie\\p{L}{1,3})?|nie ma(?: takiego| takiej)?|no se (?:encontro|ha encontrado|encuentra|pudo encontrar)(?: el| la| al| ningun| ninguna)?`
/**
 * Negations. `AUXILIARY` contains words that may follow a negation, and `PRESENCE` contains words that mean "missing"
 * when negated.
 */
const NEGATION =
  'not|cannot|can t|(?:is|was|does|do|did|could|has|have)n t|never|nicht|nie|pas|no|non|nao|niet|inte|ikke|ej|ei|ne|nemame|nu|nebyl[ao]?|не|nem|δεν|לא|غير|tidak|khong|nije'
const AUXILIARY =
  'be|ole|been|esta|yet|well|currently|longer|ever|fue|ha sido|ha|se|foi|e stato|e stata|e|kon worden|worden|werd|is|ble|blev|ar|er|wurde|ist|ete|pu etre|zosta[lł]\\p{L}{0,2}|by[lł]\\p{L}{0,2}|был\\p{L}{0,2}|було|este|a fost'
const PRESENCE = `
  found|matched|known|exist\\p{L}{0,3}|present|listed|registered|presente|recogni[sz]ed|located|on file|appear\\p{L}{0,3}|resolved|defined|provisioned|
  gefunden|bekannt|vorhanden|existiert|eingerichtet|registriert|trouvee?|connue?|existe|encontrad[oa]|conhecid[oa]|conocid[oa]|registrad[oa]|cadastrad[oa]|localizad[oa]|
  trovat[oa]|esiste|conosciut[oa]|znalezion\\p{L}{1,3}|istnieje|znan\\p{L}|zarejestrowan\\p{L}|gevonden|bestaat|bekend|funnet|fundet|loydy\\p{L}{0,3}|
  nalezen\\p{L}?|existuje|postoji|obstaja|pronaden\\p{L}?|gasit\\p{L}?|exista|наиден\\p{L}?|существует|зарегистрирован\\p{L}?|известен|знаиден\\p{L}{1,3}|
  існує|υπαρχει|βρεθηκε|קיים|נמצא|موجود|ditemukan|dikenal|terdaftar|leitud|eksisteeri|egzistuoja|najden\\p{L}?|постои|постоји|съществува\\p{L}{0,2}|намерен\\p{L}?|пронађен\\p{L}?|pronadjen\\p{L}?|olemassa|znamy|conocemos|conhecemos|connaissons|conosciamo|kennen|ton tai|talalhato|letezik`
const NEGATED = `(?:${NEGATION})(?: (?:${AUXILIARY})){0,2} (?:${PRESENCE})|(?:hittades|finns|findes|finnes|existiert|bestaat|existe|besteht) (?:\\p{L}{1,12} )?(?:inte|ikke|nicht|niet|pas)`

/** Faults of a thing that exists but does not work at present, or not at this host. */
const UNREACHABLE = 'missing|not (?:supported|available)|isn t supported|unavailable'
/**
 * Words that say that a person has left an organisation, and that the mailbox has ended as well; the subject may be any
 * person.
 */
const LEFT = `
  ha(?:s|ve) (?:now |since |recently |already )?left|left (?:us|the|our)|passed away|resigned|departed|deceased|ha(?:s|ve) died|moved (?:on|away)|offboarded|demitted|term ended|
  no longer (?:with|employed|working|works|works here|here|a member|a customer)|not working|ha(?:s|ve) not worked here|
  nicht mehr(?: bei| hier| in)?|ausgeschieden|ausgetreten|verlassen|n est plus|ne fait plus partie|ne travaille plus|a quitte|
  ya no (?:labora|trabaja|pertenece)|ha dejado|causo baja|non lavora piu|ha lasciato|ja nao trabalha|nao trabalha mais|
  niet meer|uit dienst|vertrokken|juz nie|nie pracuje juz|больше не|har slutat|har sluttet|fratradt|paattynyt|离 职|离 職`
/** Faults of a thing that may not be used, or that was closed or deleted. */
const CLOSED = `
  disabled|inactive|inactivated|suspended|expired|locked|closed|deactivated|terminated|frozen|dormant|revoked|lapsed|archived|decommissioned|retired|parked|
  hang ?up|(?:has |have )?ceased to exist|removed|deleted|purged|erased|wiped|cancel?led|dropped|withdrawn|dissolved|discontinued|defunct|dead|obsolete|gone|shut|unallocated|abandoned|
  vacant|vacated|never logged (?:in|on|onto)|hasn t (?:entered|logged in|signed in|been opened)|unassigned|deprovisioned|abolished|destroyed|liquidated|eliminated|unlinked|dismantled|scrapped|relinquished|wound (?:up|down)|
  switched off|turned off|non working|on hold|(?:taken )?out of service|not in service|not in use|not used any ?more|not (?:currently )?assigned|
  no longer (?!accepts?\\b|allow|permit|takes?\\b|receiv)\\p{L}+|(?<=(?:mailbox|account|inbox) (?:(?:is|was|has been|currently) )?)blocked|
  geschlossen|gekundigt|gekuendigt|geloscht\\p{L}*|geloescht\\p{L}*|deaktiviert\\p{L}*|gesperrt|entfernt|aufgelost|aufgehoben|erloschen|abgemeldet|
  inaktiv\\p{L}*|abgeschaltet|stillgelegt|nicht mehr \\p{L}+|
  cloturee?|fermee?|desactivee?s?|supprimee?s?|suspendue?s?|effacee?s?|abolie?s?|resiliee?|n existe plus|n est plus \\p{L}+|ne fonctionne plus|
  cerrad[oa]|bloquead[oa]|desactivad[oa]|deshabilitad[oa]|inhabilitad[oa]|eliminad[oa]|borrad[oa]|anulad[oa]|suprimid[oa]|cancelad[oa]|
  caducad[oa]|inactiv[oa]|dad[oa] de baja|ya no \\p{L}+|
  suspendid[oa]|suspens[oa]|encerrad[oa]|desativad[oa]|excluid[oa]|removid[oa]|inativ[oa]|ja nao \\p{L}+|nao (?:esta|existe|e) mais|
  chius[oa]|disattivat[oa]|disabilitat[oa]|cancellat[oa]|eliminat[oa]|rimoss[oa]|sospes[oa]|cessat[oa]|dismess[oa]|soppress[oa]|non (?:e|esiste) piu|
  uitgeschakeld|gedeactiveerd|geblokkeerd|verwijderd|gesloten|opgeheven|opgezegd|beeindigd|afgesloten|niet langer|
  zablokowan\\p{L}|nieaktywn\\p{L}|usuniet\\p{L}|zamkniet\\p{L}|zawieszon\\p{L}|wylaczon\\p{L}|zlikwidowan\\p{L}|skasowan\\p{L}|dezaktywowan\\p{L}|wygas[lł]\\p{L}{0,2}|
  nie (?:jest|ma|istnieje) juz|zrusen\\p{L}|smazan\\p{L}|zablokovan\\p{L}|
  avslutad|avslutat|avsluttet|avsluttede|avslutats|avstangt|tagits bort|borttag\\p{L}{2}|raderad\\p{L}?|nedlagt|slettet|lukket|stengt|sparrat|inte langre|
  ikke l(?:ae?|e)nge?re?|ikke lenger|dezactivat\\p{L}?|inchis\\p{L}?|desfiintat\\p{L}?|poistettu|suljettu|megszunt|torol(?:t|ve)|fost sters|
  заморожен\\p{L}?|ликвидирован\\p{L}?|закрыт\\p{L}?|удален\\p{L}?|отключен\\p{L}?|заблокирован\\p{L}?|видален\\p{L}{1,2}|вимкнен\\p{L}{1,2}|заблокован\\p{L}{1,2}|закрит\\p{L}{1,2}|
  kapat[iı]l\\p{L}{1,8}|silin\\p{L}{1,6}|devre disi|tidak aktif|dinonaktifkan|ditutup|ukinut\\p{L}?|obrisan\\p{L}?|onemogucen\\p{L}?|deaktiviran\\p{L}?|izbrisan\\p{L}?|ukinjen\\p{L}?|vypnut\\p{L}?|zrusen\\p{L}?|suletud|kustutatud|isjungt\\p{L}?|panaikint\\p{L}?|slegt\\p{L}?|dzest\\p{L}?|изтрит\\p{L}?|закрит\\p{L}?|деактивиран\\p{L}?|tancad[ao]|suprimi[dt][ao]?|
  停 用|禁 用|注 销|註 銷|冻 结|凍 結|解 約|廃 止|停 止|退 会|削 除|閉 鎖`

/** Converts a table of alternatives, which may have many lines, to one group of a regular expression. */
export const oneOf = (alternatives: string): string => `(?:${alternatives.replace(/\s*\n\s*/g, '')})`
/**
 * A fault in plain words. A fault in the group `before` may precede its noun; a fault in the group `none` always
 * precedes its noun.
 */
export const FAULT: RegExp = new RegExp(
  `(?<= )(?:(?<before>${oneOf(EITHER_SIDE)})|(?<none>${oneOf(NONE)})|${oneOf(BEHIND)}|${oneOf(LEFT)}|${oneOf(CLOSED)}|${oneOf(NEGATED)})(?= )`,
  'gu',
)

/** True for a word that is a fault by itself, or is often part of a fault. */
export const isFaultWord = (word: string): boolean => FAULT_WORD.test(word)
const FAULT_WORD = new RegExp(
  `^(?:${[EITHER_SIDE, BEHIND, NONE, LEFT, CLOSED, NEGATION, AUXILIARY, PRESENCE].map(oneOf).join('|')})$`,
  'u',
)

/** True if plain words contain a fault of something missing or closed; the words begin and end with a space. */
export const hasFault = (words: string): boolean =>
  words.matchAll(FAULT).some(([fault]) => isAbsent(fault) || isClosed(fault))

/** True for a fault that says that a thing is closed or may not be used. */
export const isClosed = (fault: string): boolean => CLOSED_ONLY.test(fault)
/** True for a fault that says that a person has left. */
export const isLeaving = (fault: string): boolean => LEFT_ONLY.test(fault)
/** True for a fault that says that a thing is missing or invalid. */
export const isAbsent = (fault: string): boolean => !CLOSED_ONLY.test(fault) && !UNREACHABLE_ONLY.test(fault)
const CLOSED_ONLY = new RegExp(`^(?:${oneOf(LEFT)}|${oneOf(CLOSED)})$`, 'u')
const LEFT_ONLY = new RegExp(`^${oneOf(LEFT)}$`, 'u')
const UNREACHABLE_ONLY = new RegExp(`^${oneOf(UNREACHABLE)}$`, 'u')

const setOf = (text: string): ReadonlySet<string> => new Set(words(text))
/** Combines patterns into one pattern that matches whole words. */
const anyOf = (patterns: readonly RegExp[]): RegExp =>
  new RegExp(`(?<= )(?:${patterns.map(({ source }) => source).join('|')})(?= )`, 'gu')

/** Relative clauses about the recipient, by language: "the user you are sending to". */
const TOWARDS_RECIPIENT = anyOf([
  /(?:to )?(?:(?:that|which|whom|who) )?you (?:are |were |have |had |ve |re )?(?:just )?(?:try|tried|trying|want|wanted|wish|wished|attempted|attempting|meant|intended|like) to (?:reach|contact|e?mail|write to|address)/u,
  /(?:(?:that|which|whom|who) )?you (?:are |were |have |had |ve |re )?(?:enter(?:ed)?|typed?|gave|given|specified|requested|provided|named|looking for|asked for|reached)/u,
  /(?:to )?(?:(?:that|which|whom|who) )?you (?:are |were |have |had |ve |re )?(?:just )?(?:send|sending|sent|write|writing|wrote|mail|mailing|mailed|email|emailing|emailed|deliver|delivering|post|posting)(?: (?:it|this|this mail|your mail|a message|your message|an email))? to/u,
  /(?:(?:that|which|whom|who) )?you (?:have |had |ve )?(?:address|contact|mail|email|reach|want|need|tried|addressed|contacted|mailed|emailed)(?= (?:is|was|has|had|does|do|did|no|not|isn|wasn|hasn|doesn|cannot|could|can) )/u,
  /your(?= mailbox has been blocked due to inactivity )/u,
  /(?<=(?:removed|deleted|purged|erased|wiped|gone|disappeared|missing) )from (?:this|our|the) (?:host|server|system|site|domain|database|directory)/u,
  /your (?:e mails?|emails?|mails?|messages?) (?:has|have|was|were|is|are) (?:been )?(?:returned|rejected|refused|undelivered|not delivered)(?: because)?/u,
  /(?:e mails?|emails?|mails?|messages?) (?:from you )?(?:sent )?to (?:this|that|the) (?:address|user|mailbox|recipient) (?:will|can|could|may) (?:not|never) be delivered/u,
  /(?:an )?(?:die|den|das|dem) (?:sie|ihre (?:mail|nachricht)) (?:\p{L}{1,12} )?(?:schreiben|senden|anschreiben|angeschrieben|angegeben|eingegeben|erreichen|gesendet|geschickt)(?: (?:wollen|wollten|mochten|haben))?/u,
  /von ihnen (?:angeschrieben|angegeben|gewunscht|eingegeben|genannt)\p{L}{0,2}/u,
  /(?:a laquelle|auquel|a qui) vous (?:ecrivez|envoyez|avez ecrit)|que vous (?:essayez de|tentez de|cherchez a|souhaitez|voulez|avez) (?:joindre|contacter|saisie?|indiquee?|demandee?)/u,
  /(?:a la|al) que (?:usted )?(?:escribe|envia|intenta escribir|esta escribiendo)|que (?:ha indicado|intenta contactar|ha escrito)/u,
  /(?:a|al|alla) (?:cui|quale) (?:si sta|sta|stai|state|ha|hai) (?:scrivendo|inviando|scritto)|che (?:sta|si sta|state) cercando di (?:contattare|raggiungere)/u,
  /para (?:o qual|a qual|quem) (?:voce )?(?:esta )?(?:escrev|envi)\p{L}{1,5}/u,
  /waar(?:naar|aan) u (?:schrijft|mailt|stuurt)|die u (?:probeert te|wilt) bereiken/u,
  /na ktor[eya] (?:wyslano|piszesz|wysylasz)(?: wiadomosc)?|do ktore(?:go|j) piszesz/u,
  /котор\p{L}{2,3} вы пишете|на которыи вы (?:пишете|отправляете)/u,
  /(?:som )?(?:du|ni|de) (?:skickar|skriver|sender|forsoker na) till?/u,
  /yazd[iı]g[iı]n[iı]z/u,
  /お 送 り い た た い た|您 (?:所 )?(?:发 送 的|查 找 的|要 找 的|输 入 的)/u,
])

/** Removes relative clauses about the recipient from plain words. */
export const withoutTowards = (text: string): string =>
  text.replace(TOWARDS_RECIPIENT, '').replace(/ {2,}/g, ' ')

/** First words of clauses that greet the reader or tell the reader what to do. */
const ADVICE =
  /^ (?:dear \p{L}+ $|hello |hi |hey |kindly |sorry $|bad luck |no can do |please (?!note)|请 |see |check |contact |visit |try |refer |ask |go to |for (?:more|further|details|information|help|explanation|assistance) |remove |update |do not |don t |use |write to |stop |more (?:info|details|information) |learn more |bitte |siehe |prufen |veuillez |merci de |voir |verifiez |por favor |consulte |contacte |revise |verifique |si prega |per favore |verificare |controllare |controleer |neem |prosimy |prosze |sprawdz |kontrollera |пожалуиста |проверьте |обратитесь |if you )/u

/** True for a clause that only greets or advises and contains no fault. */
export const isAdvice = (clause: string): boolean => ADVICE.test(clause) && !hasFault(clause)

/**
 * Phrases that connect a noun with the current mail, and thus with the sender: "account of this mail". The phrase "mail
 * of this account" does not match.
 */
export const OF_THIS_MAIL =
  / (?:of|in|on|with|behind|by) (?:this|the|your|that) (?:mail|email) (?!(?:account|address|box|domain|host|server|system|user))/

/**
 * Words that may refer to the sender: words for the reader of the reply, for sending and answering mail, and for states
 * of an existing mailbox. `POINTING_SIGNS` contains such words in scripts without spaces.
 */
export const POINTING = setOf(`
  you your yours yourself from whose whom sender senders sending sent sends send submit submitted submitting
  originate origin source author auteur autor autore автор автора verfasser reply replies replying bounce
  bounces return returns write wrote written writing outbound outgoing login logged identity behalf notify
  callout callback verification full quota space whitelist greylist allowlist presented claim claimed pretend
  says told according authenticate ihr ihre ihrem ihren ihrer ihnen sie absender absenders versand senden
  vous votre vos expediteur envoi usted remitente envio suo sua vostro vostra mittente scrive voce
  remetente envia u uw afzender verzenden pan pana twoj twoje nadawca nadawcy вы вас вам вами ваш ваша ваше
  вашего вашем отправитель отправителя ditt dina avsandare avsandaren afsender avsender gonderen
  gonderici`)
export const POINTING_SIGNS = / (?:您|你|发|寄|送|貴|お 客|差 出|発) /

/**
 * Prepositions and relative pronouns that begin a description of a noun: "unknown at the dispatching host". Other words
 * after a fault, such as words for a time or a reason, do not describe a noun.
 */
export const CONTINUING = setOf(`
  at on in by of from with to under behind without for via through within as that which who whose whoever que
  qui che dont quien chi welche welcher welches dem denen bei auf in von an unter fur beim im chez sur en au
  dans par de a su in presso del della da por para pelo op bij van voor na w u przez на в у от для hos pa i av
  fra for`)
/** Words that end the description of a noun. */
export const JOINTS = setOf(`
  | and but so because since after following due or und aber weil wegen nach seit et mais car depuis suite y
  pero desde e ma dopo mas apos maar omdat wegens ale bo и но из men og`)
export const ARTICLES = setOf(
  'the a an this that our its their der die das dem den des ein eine le la les l un une el los las il lo i gli o os de het een',
)
/** Prepositions at the end of a relative clause: "the mailbox this was written with". */
export const STRANDED = setOf('with from by through via for under as')
/** Relative pronouns that have no other use. */
export const RELATIVE = setOf('who whose whom which whoever que qui che quien chi')

/**
 * True for a relative clause such as "which dispatched this". German relative pronouns are also articles, so the second
 * word decides.
 */
export function beginsRelative([first = '', second = '']: readonly string[]): boolean {
  if (/^(?:der|die|das|dem|den)$/.test(first)) return !KINDS.has(second)
  // The Hungarian article begins a clause, but no relative clause.
  return first !== 'a' && CONTINUING.has(first)
}
