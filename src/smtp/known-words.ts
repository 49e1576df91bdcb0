// Words of replies by language: words and short phrases that replies about a missing or closed mailbox use in addition to
// nouns and faults, and words by concept. The tables are the place for a new word or language.

/**
 * Entries of the closed vocabulary, which `open-replies.ts` adds to the nouns, faults and phrases of the tables. An
 * entry is a word or a phrase in plain words. Entries are separated by commas, and `*` after a word matches any further
 * letters. The entries of each language are sorted, and no entry repeats a word of the tables.
 *
 * A word belongs to the vocabulary if replies about a missing or closed mailbox use the word, and if the word cannot
 * describe the mailbox of a sender: function words, words for times and places (server, directory), and words for
 * reasons why a mailbox was closed (contract, inactivity). Words such as you, your, from, message or used may refer to
 * the sender, and occur only in phrases about the recipient (your message could not be delivered).
 */
export const KNOWN_WORDS: Readonly<Record<string, string>> = {
  english: `
    aborted, about, abuse, accept, accepted, accepting, accepts, access denied, action, actions, actual,
    actually, addressed, admin, administratively, administrator, administrators, after, ago, alas, all, along,
    already, also, although, alumna, alumni, alumnus, among, amongst, an, and, answers, any, anybody, anymore,
    anyone, anything, anywhere, apparently, april, are, aren t, as, assigned, assistant, at, august,
    automatically, autumn, available, aware, away, because, before, being, believe, belong, belongs, below,
    bill, bills, blank, books, both, branch, building, business, but, by, bye, called, campus, can, catalog,
    catalogue, cause, ceased, change, changed, changed jobs, check the address, check the spelling, chkuser,
    church, class, client of ours, clients of ours, clinic, closing date, closure, cluster, co worker, code,
    college, com, command rcpt, company, completed, completely, configured, corporate, corresponding,
    corresponds, could, couldn t, course, coworker, created, customers, database, databases, date, days,
    dead end, dead letter, dear colleague, dear customer, dear sender, december, definitely, degree, deletion,
    deliverable, delivered here, delivery, delivery attempt failed, delivery impossible, department,
    department head, did, died, director, disappeared, discarded, disconnecting, dismissed, disposable,
    division, do, does, domino, don t, dovecot, down, dr, drop, due, dues, during, effective, eight, either, employed,
    employer, employment, empty, end user, ended, ends, entirely, entries, entry, error, etc, every,
    everywhere, evidently, ex, exactly, expiration, expiry, extended, faculty, failure, family, fault,
    february, fee, fees, few, file, final, first name, five, flagged, floor, following, for, for details see,
    for details visit, for explanation visit, for good, for help, for more details, forever, former, formerly,
    forward, forwarding, foundation, four, fraud, free, freed, freelancer, from directory, from etc passwd,
    from our books, from our database, from our directory, from our list, from our records, from our server,
    from our system, from our systems, from the database, from the directory, from the list, from the server,
    from the system, from this server, full name, fully, further, gal, generic, genuine, get mail,
    get messages, gets, given, global address list, go, goes, good, got, graduate, graduated, graduation,
    greetings, guest, had, has, has not been used, hasn t entered, have, having, headquarters, hello, helpdesk, here, hereby,
    hi, him, his, holder, hospital, host, hosted, hostmaster, house, how, hr, http, https, human resources,
    id, identify, idle, if, ignored, immediately, in, in deletion state, indeed, indefinitely, individual,
    information, institute, institution, intended, intern, internal, internally, into another, invoice unpaid,
    isn t, issued, it, its, january, job, joined, july, june, just, know, lab, laboratory, lack, lapse, last,
    last logged in, late, later than, ldap, leaves, left, legitimate, letter cannot be delivered, library,
    like that, lists, live, lives, lmtp, local, locally, location, log in, logins, long, look up, looked,
    looking, lookup, lost, luck, machine, maintained, management, manager, march, marked, match, matches,
    matching, may, me, member, members, merged, migrated, misspelt, mistake, mistyped, moment, month, months,
    more, most, moved, mr, mrs, ms, museum, my, mysql, name, named, names, needed, neglected, neither,
    never logged in, new, next, nine, no login, node, none, noone, nor, not been used, not logged in,
    note that, nothing, november, now, nowhere, number, object, obviously, october, of, off, office, oh, ok,
    old, on, on hold, once, one, one error reported, only, onwards, operational, or, organi*,
    organization unit, orphaned, other, our, ours, out, over, own, owned, owner, owners, package, paid, part,
    passed away, passwd, past, pay, paying, payment, payroll, people, period, permanent, permanently,
    personal, personnel, phased out, phd, place, plan, platform, please, point, pointing, points,
    policy on inactivity, possible, post, postal, postholder, precisely, predecessor, presumably, previous,
    previously, prior, private, problem, prof, profile, project, provider, public, pupil, put to rest, quit,
    quite, quoted, rdbms, real, really, reason, reasons, reassigned, receive, receives, receiving, recently,
    recip, recognise, recognize, record, records, recycled, regret, regrets, rejected, rejecting,
    relay recipient, relocated, removing, replacement, request, requested, reserved, reside, resident,
    resides, resignation, resolve, resolves, responds to, result, reused, right, role, roll, rolls, room,
    roster, routable, sadly, same, school, search, searched, secretary, see also, seemingly, seems, select,
    semester, september, served, server, servers, serves, set, seven, several, shared, show, shows, shutdown,
    sign in once, simply, since, single, six, so, somebody, someone, sorry, specific, spelled, spelling,
    spelt, spool, spring, sql, staff, staffed, stale, stated, status is, status of, still, stopped accepting,
    stopped working, stored, studies, subscription, subsidiary, success, successfully, successor, such,
    summer, surname, suspend, switched, syntax, sysadmin, system, systems, table, target, teacher, team,
    temporary, ten, tenant, term, termination, terms, than, thank you, thanks for stopping by, that, the,
    their, them, then, there, therefore, these, they, this, those, three, through, thus, time, to, today,
    tombstone, tombstoned, too, trace, tree, trial, turned, two, typo, unable, unaware, under,
    unfortunately, unidentified, unit, university, unless, unlucky, unpaid, unused, up, us, used to be,
    user base, userbase, userdb, using this name, vacancy, vanish, vanished, verification failed, verified,
    verify, very, via this server, violation of, virtual, virtusertable, visitor, volunteer, vpopmail, was,
    wasn t, we, we don t use, we re, we regret to inform you, webmaster, week, weeks, went, were, weren t,
    what, whatsoever, when, where, whether, which, who, whoever, whole, will, winter, with,
    within, without, won t, worked, working, workplace, works, world, would, wound up, year, years, yesterday,
    zero`,
  'english, about the message': `
    accept your message, at the moment of writing, banned from this service, be delivered, bounced back,
    can be delivered, can t be delivered, can t deliver, cannot be delivered, cannot deliver,
    could not be delivered, could not deliver, couldn t be delivered, couldn t deliver, deliver your mail,
    deliver your message, delivery of your message failed, email bounced, has to log in, has to sign in,
    lookup returned nothing, mail bounced, mail can not be delivered, mail can t be delivered,
    mail cannot be delivered, mail could not be delivered, mail couldn t be delivered, mail returned,
    mailing list expansion problem, message can not be delivered, message can t be delivered,
    message cannot be delivered, message could not be delivered, message couldn t be delivered,
    message from hostname0, message from you rejected, message not delivered, message returned,
    message was not delivered, must log in, must sign in, not allowed, not be delivered, not delivered,
    not poped, not used, possibly incorrect, recipient denied, recipient you, rejected your mail,
    rejected your message, remote host, remote mail server, remote server, remote system, return undelivered,
    returned undelivered, smtp error from remote mail server after rcpt to, temporarily, unable to deliver,
    unable to deliver to, undelivered, unreachable, you do not have authorization to see it,
    your email could not be delivered, your email to, your email was not delivered,
    your mail cannot be delivered, your mail could not be delivered, your mail here, your mail to,
    your mail was not delivered, your message cannot be delivered, your message could not be delivered,
    your message from hostname0, your message to, your message was not delivered,
    your message wasn t delivered, your recipient`,
  programs: `
    badrcptto, callout verification failed, dd, error end, error text, eyou, from hostname0,
    in reply to rcpt to command, isblocked, ld, mi, mta, rc, rdn, remote server returned, response to,
    response to rcpt to, rne, rnf, rp, said, smtp error, umail, uunk, vdeliver*`,
  german: `
    ab, aber, abgang, abgelaufen, abgelehnt, ablauf, absprache, abteilung, alle, als, alte*, am, amt,
    angegeben*, angelegt, angenommen, angeschrieben*, angestellt*, annahme, antwort, arbeitet, archiviert,
    auf, auffindbar, aufgegeben, aus, ausscheiden, ausser betrieb, austritt, beendet, behorde, bei, beim,
    benutzer*, bereits, beschaftigt, bestand, besteht, betreiber, betrieb, betriebszugehorigkeit, bis, bitte,
    buro, da, dafur, daher, dann, darum, das, dauerhaft, dauernd, dem, den, der, derzeit, des, deshalb,
    deswegen, die, dienststelle, dies, diese, diesem, diesen, dieser, dieses, domane, dort, durch, ehemalig*,
    ehemals, eigenen, ein, eine, einem, einen, einer, eingegeben*, eingestellt, einst, eintrag, einzelne*, empfaenger*,
    empfangen, empfanger*, empfangsbereit, empfangt, ende, endgultig, entsprechend*, ermitteln, ermittelt,
    erreichbar, erreichen, ersatzlos, erst, es, falsch*, fehler, fehlt, feststellen, frau, fruher*, fur, gab,
    gar, geben, gefuhrt, gehort, gelistet, gemass, genannt*, genutzt, gewechselt, gewunscht*, gibt, gibts,
    grund, gultig*, hat, haus, hausintern, herr, hier, hinter, hinterlegt, hochschule, ihn, ihre email,
    ihre mail, ihre nachricht, ihres, im, inhaber, inhabers, institut, inzwischen, jahr, jahren, jedoch,
    jemand, jetzt, kann, kanzlei, keinem, keinerlei, keines, kenne, kennt, kennung, konnte, konnten, kunde*,
    kundigung, lange, langem, langer, langerer, laut, leider, loschung, mehr, mit, mitglied*, mittlerweile,
    monat*, nach, namen, namens, nichtnutzung, nichts, niemand, niemanden, nirgends, noch, nun, nutzer,
    nutzung, oder, personen, postfach*, praxis, rente, richtig*, ruhestand, schon, schreibweise, schule, sei,
    sein, seine, seinem, seinen, seiner, seit, seitdem, sich, sind, solch*, sondern, sowie, stelle, student*,
    studierende*, taetig, tatig, teilnehmer*, tippfehler, trennung, umgezogen, unbenutzt, unbezahlt, und,
    universitat, uns, unser*, unserem hause, unter, unternehmen, unzustellbar*, verein, verfugbar, vergeben,
    vergebens, verstorben, vertippt, vertrag, vertragsende, verwendet, verzeichnet, verzeichnis, verzogen,
    vollstandig, vom, von ihrem inhaber, von uns, vorliegt, war, wechsel, weder, wegen, weil, weiss,
    weitergeleitet, weiterleitung, wir, wird, wunsch, wurden, zahlung, zeit, ziel*, zu, zugang, zugeordnet,
    zugestellt, zum, zuordenbar, zuordnen, zur, zuruckgewiesen, zustellbar, zustellen,
    zustellung fehlgeschlagen, zustellung nicht moglich`,
  french: `
    abandonne*, abonnee, actif, adherent, adherente, agence, agent, ainsi, ancien*, annee*, annuaire, annule*,
    apres, attribue*, au, aux, avec, avoir, avons, bien, bloque*, boites, cabinet, caduc, caduque, car, ce,
    cela, ces, cet, cette, chez, cliente, clos, close, collaborateur, comme, comptes, concerne*, connait,
    connu*, correct*, correspond, correspondant a, cree*, dans, de, decede, decedee, deces, definitif*,
    definitive, definitivement, demande*, demission, depart, depuis, dernier, desole, desormais, desuet,
    disponible, distribue, domaine, donc, du, ecole, efface*, electronique, eleve, elle, en, encore,
    enregistre*, entreprise, errone*, est, et, etablissement, etre, etudiant, etudiante, expire*, fait,
    faute de paiement, ferme*, figure, fin, hebergee*, hors service, ici, identifiant, identifie*, il,
    impaye*, indique*, informatique, inscrit*, inutilise*, jamais, joignable, jour, la, le, les, lettres,
    leur, licencie, liste, livre, longtemps, lors, lui, mairie, mais, mauvais*, membre*, mois, mutation, mute,
    ni, nom, nomme*, nos, notre, nous, nouvelle, ou, par, parmi, parti*, perime*, peu, peut, plateforme, plus,
    pour, pris, prise, professionnel*, prolongee, puis, quelqu, qui, quitte, radie*, reconnu*, reference*,
    refuse*, rejete*, remis, remise impossible, remplace, remplacee, repertoire, repertorie*, retire*,
    retraite, rien, sa, saisi*, salarie*, selon, semble, sera, serveur, servi*, ses, societe, son, sous,
    specifie*, suite, sur, tel, telle, temps, toujours, tout, trop, trouve*, trouvons, un, une, universite,
    usagers, utilisateurs, utilise*, valable*, verrouille*, vers, vise*, votre correspondant, votre courriel,
    votre destinataire, votre mail, votre message, votre message n a pas`,
  spanish: `
    abonad*, activ*, actualmente, administrador, ahora, al, alumno, antes, anulad*, aqui, area, asignad*,
    asociado, baja, bajo, borrad*, buzon de correo, buzones, caducad*, cancel*, casillas, cerro, cese,
    clausurad*, colegio, como, compania, compruebe, con, corresponde, cuenta de correo, cuentas, dad*,
    definitiva, definitivamente, dej*, del, dentro, departamento, desaparecid*, desde, despedid*, dia*, dicha,
    dicho, direccion*, directorio, dueno, el, ella, empleada, empresa, encontr*, encuentra, entidad,
    entregable, entregado, entregar, esa, escuela, ese, eso, especificad*, esta, estado, esto, estudiante,
    fallecid*, fallecio, falta, favor, finalizado, forma, haber, habilitad*, hallad*, hallar, han, hay, haya,
    identificad*, impago, indicad*, instituto, jamas, jubilacion, jubilad*, larga, largo, las, lista, llamad*,
    lo, localizad*, localizar, los, mas, mes*, miembro, mismo, motivo, muy, nadie, nombre, nosotros, nuestr*,
    nunca, oficina, pago, para, parece, pedido, permanente, permanentemente, pertenece, peticion del titular,
    por, porque, posible, pudo, puede, que, quien, rechazad*, recibe correo, recibir correo, reconoc*,
    registr*, renuncia, rescindid*, retirad*, retiro, sede, segun, sentimos, ser, si, sido, sistema, socia, socio,
    solicitad*, solicitud, su correo, su mensaje, suprimid*, tampoco, tenemos, terminado, tiempo, tiene,
    todavia, trabaja, trabajador, trabajadora, ultima, ultimo, una, universidad, unos, uso, valid*, vigente,
    vigor, ya`,
  italian: `
    abbiamo, abbonata, abbonato, alcun*, alla, anni, anno, assegnat*, associat*, attiv*, attualmente, avere,
    azienda, bloccat*, caselle, cessat*, cessazione, che, chiamat*, ci, collaborator*, configurat*, conosc*,
    consegna, consegna fallita, consegna impossibile, consegnabile, consegnare, consegnato, corrett*,
    corrisponde, corrispondente a, dal, dall, dalla, decedut*, decesso, degli, dei, dell, della, di, dimess*,
    dimission*, dipendent*, disdetta, dismess*, disponibile, dopo, ed, elenco, ente, errore, esiste*,
    esistono, essere, fine, giorni, gli, ho, il suo messaggio, impiegat*, inaccessibile, inattiv*, indicat*,
    indirizzi, individuat*, intestatari*, inutilizzat*, inutilizzo, istituto, lasciat*, lavora, lungo, ma,
    mai, mancato pagamento, mancato utilizzo, momento, negli, nei, nel, nell, nella, nessun*, nome, nostr*,
    nulla, nuov*, ormai, pagamento, pension*, per, piu, posta, posta elettronica, presso, previst*, prima,
    puo, qualcuno, quest*, raggiungibil*, recesso, reparto, revocat*, ricevente, richiest*, riconosciut*,
    rifiutat*, rimoss*, rintracciat*, risulta, risultano, scadenza, scadut*, scuola, sembra, sia, simile,
    sistemi, societa, sono, sotto, specificat*, spiacenti, stata, stato, sui, sul, sull, sulla, tal*, tempo,
    titolare, trova*, ufficio, universita, usat*, utenti, utilizzat*, vecchi*, viene, vostro destinatario,
    vostro messaggio`,
  portuguese: `
    achad*, agora, ainda, algum, aluno, ano*, antig*, ao, apagad*, aposentad*, assinante, ativ*, atribuid*,
    atualmente, cadastr*, caixa de correio, caixas, colaborador*, conhec*, conta de correio, correta, correto,
    demitid*, desligad*, desligamento, desse, dest*, devido, diretorio, disponivel, dos, ela, ele, eletronic*,
    em, endereco*, entrega impossivel, entregue, erro, escola, essa, esse, estudante, exist*, falecid*,
    falecimento, foi possivel entregar, foram, funcionari*, informad*, ja, muito, na, nao foi possivel, nas,
    nela, nenhum*, nesse, nesta, neste, ninguem, nossa*, nosso*, nova, novo, os, pela, pelo, pertenc*, pode,
    recebe email*, recebe mensagens, reconhece, reconhecid*, registad*, rejeitad*, removid*, reparticao,
    rescisao, saiu, sem uso, setor, sua mensagem, tem, temos, trabalha, um, uma, universidade, usuario*,
    utilizador*, vencid*`,
  dutch: `
    aan, aanwezig, actief, administratie, afdeling, afgewezen, afleveren, bedrijf, beheerder, ben,
    beschikbaar, bestaan, bestaande, bestond, bezorgd, bezorgen, bezorging mislukt, bij, binnen, collega, dat,
    definitief, deze, dienst, dit, domein, door, doorgegeven, een, eigen, eigenaar, eindig*, enkele, foutief,
    gebruik, gebruikers, gebruikersaccount, gebruikersnaam, gebruikt, gekend, geldig, geldige, geleverd,
    geregistreerd, geruime, gestopt, geweigerd, gewist, heeft, heet, helaas, hem, herkend, het, hij, ik,
    inactief, instelling, jaar, juist, kan, kantoor, klant, klanten, kon, lang, langdurig*, leerling, lid,
    lijst, maanden, maar, medewerkers, medewerkster, meer, meneer, met, mevrouw, naam, nog, nooit, om, omdat,
    onbestelbaar, onder, ons, ontslag, onze, ooit, op, opgeruimd, opgezegde, opzegging, oud, oude, overleden,
    overlijden, pensioen, postbussen, postvak*, reeds, sinds, stopgezet, systeem, te, tijd, toegestaan,
    toegewezen, tot, uit, uitgeschreven, universiteit, uw bericht, van, vereniging, verkeerd, verlaten,
    verlopen, vertrek, vervallen, verzoek, voor, voormalig*, want, waren, wegens, weigert, werknemer, werkt,
    wij, wordt, ze, zijn, zonder`,
  polish: `
    abonament*, abonent*, administracyjnie, administratora, aktywn*, albo, ale, bedzie, bledn*, bo,
    braku aktywnosci, byc, byl*, czlonek, dawno, dezaktywowan*, dla, dlugo, dluzej, domen*, doreczyc,
    dostarczenie niemozliwe, dostarczyc, dostepn*, dzial, emerytur*, firm*, imieniem, instytut, istniec,
    istnieja, istniejac*, jego, jest, jezeli, juz, klient*, kont*, ktor*, lat, lub, miesi*, moga, moze, mozna,
    nam, nami, nasz*, nazwa, nazwie, niedostepn*, niego, nieistniej*, niepoprawn*, nigdy, nikogo, nikt,
    obecnie, od, oddzial, odeszla, odnalez*, odrzucon*, odszedl, oraz, osob*, po, poczt*, pod, podan*,
    poniewaz, poprawn*, posiada, powodu, pracownik*, pracuje, prosbe, przez, przypisan*, roku, rozwiazal*,
    rozwiazan*, serwer*, skasowan*, skrzynk*, szkola, ta, tak*, tego, tej, trwale, tu, tutaj, twoja wiadomosc,
    tym, uczelni*, uczen, umow*, urzad, uzywan*, wiadomosci nie mozna doreczyc, wlasciciel*, wygas*, za,
    zamkniet*, zarejestrowan*, zatrudniona, zatrudniony, zlikwidowal*, zlikwidowan*, zmarl*, znalezc, zosta*,
    zrezygnowal*, zwolnion*, zyczenie`,
  'swedish, danish, norwegian': `
    af, afsluttet, aktiv*, ansat, ansatt, anstalld, anstallning, anvands, arbejder, arbetar, arende, att, av,
    avregistrert, avslut*, avvist, begaran, bekant, blevet, blitt, bliver, bortagen, brevlada*, brug, bruges,
    bruk, brukes, deaktiver*, denna, denne, det, dette, din besked, ditt meddelande, eksisterar, eksisterer,
    elev, eller, enn, fanns, fantes, fel, fick, finnas, fjernad, fjernet, fra, gammel, gyldig, har, her,
    hittades, hittas, hos, inget, jobbar, jobber, kanner, katalogen, kender, kendt, kjenner, kjent, kund,
    kunne, laengere, lagt ned, langre, lenger, leverera, med, medarbejder*, medarbetar*, men, mer, mere,
    modtagerens, mottakerens, mottar, namn, namnet, nar, naron, navn, navnet, nedlagd, nedlagda, nerlagd,
    noen, nogen, och, og, onske, ophort, opphort, oppsagt, opsagt, optaget, oss, pa, pga, postkasse*,
    raderats, sagt opp, siden, sin, sitt, skal, slutat, sluttet, som, stangd*, stangt, tagits bort, til,
    tilgaengelig, tilgjengelig, till, tillganglig, uppsagt, ur katalogen, ut, utgatt, var*, ved, vi, vid,
    virksomhed*, vores`,
  finnish: `
    eika, enaa, jarjestelmassa, kaytossa, kayttajatunnus, kayttajatunnusta, lakkautettu, ollut, osoitteessa,
    palvelimella, postilaatikkoa, sahkopostiosoite, sulki*, taalla, tai, tama, tata, tili, tilia, tilin,
    tunneta, tuntematon, vanhentunut`,
  'czech, slovak': `
    byt, cilov*, dani*, je, jiz, jmen*, mailov*, nasem, neb*, nelze, nema*, nenasel, nenasl*, nikdo,
    odmitnut*, platn*, podle, pouzivan*, pro, schrank*, server, serveru, smazan*, systemu, tato, tento, tomto,
    toto, uct*, uz, uzavren*, ve, vypnut*, zadan*, zaden, zadn*, znam*`,
  hungarian: `
    az, cimen, cimmel, ez, ezen, fiok, ilyen, itt, kiszolgalon, letezo, mar, nevu, szerveren, vagy, zarolva`,
  romanian: `
    acest*, aici, casuta, cont*, cu, din, fost, gasit*, nici, niciun, numele, pe,
    postala, sau, sters*, suspendat*`,
  turkish: `
    adinda, adres*, alici*, artik, askiya alindi, ayrilmistir, bir, boyle, bu, bulunmamaktadir, bulunmuyor,
    calismiyor, degil, eposta, gecerli, gecersiz, ile, kalici olarak, kayitli, kullanilmamaktadir,
    kullanilmiyor, kurumumuzdan, mevcut, posta kutusu, sahibi, sistemde, sistemimizde, sistemimizden,
    sunucuda, tanimiyor, tanimli, yoktur`,
  'russian, ukrainian': `
    абонент*, адрес*, аккаунт*, активен, более, больше, был*, в, ваше письмо, ваше сообщение, владел*,
    вообще, год*, давно, данного, данны*, деиствител*, для, до, договор*, домен*, доставить, доставлено,
    ее, ему, есть, еще, за, закрыл*, запросу, зарегистр*, здесь, знаем, и, из, или, имен*, имя, институт*,
    используется, истек*, к, клиент*, компани*, контакт, месяц*, мы, на, навсегда, наиден*, наити, нами, нас,
    нашего, нашеи, нашем, нашу, неверн*, недеиств*, недоступн*, неоплат*, неправильн*, ни, нигде, никогда, но,
    о, об, обнаружен*, один, одного, он, она, оплат*, организац*, от, отдел*, отказал*, отклонен*, отсутств*,
    ошибочн*, пенси*, по, под, почтов*, поштов*, прекращен*, причин*, просьбе, работает, расторг, расторгнут,
    с, сервер*, систем*, скриньк*, снят*, сотрудник*, срок*, стал*, студент*, существ*, так*, тут, у, увол*,
    удалил*, уже, указан*, умер, умерл*, университет*, учетн*, це*, цьому, черз, чи, школ*, эт*, імен*, істнує`,
  'greek, hebrew, arabic': `
    αυτο, αυτος, διευθυνση, ειναι, εχει, η, με, ο, σε, στο, συστημα, το, אינו, במערכת, החשבון, הכתובת, זה,
    קיימת, البريد, العنوان, صندوق, على, في, لا, معروف, هذا, هذه, يوجد`,
  'indonesian, vietnamese': `
    ada, aktif, alamat, chi, dengan, dihapus, dung, hop thu, ini, itu, kotak surat, nama, nay, pada, sudah,
    surat, tai khoan, tersebut, ton tai, yang`,
  chinese: `
    不, 不再, 不可用, 个, 中, 了, 人, 人员, 作废, 使用, 公司, 冻, 到, 到期, 单位, 合同, 名, 员工, 在, 地址,
    塊, 失效, 学校, 学生, 客户, 已, 已停止, 已删除, 已毕业, 已永久, 已离开, 已离职, 帐户, 帳戶, 弃用, 当前,
    您所查找的, 您要找的, 您输入的, 户, 所, 指定, 收件人账户, 收件地址, 收件箱, 收件者, 无, 无法找到, 无这个,
    是, 有, 有效, 有效的, 服务器, 未, 未启用, 本, 本公司, 本服务器, 本站, 本系统, 查, 核对, 检查, 此, 毕业,
    永久, 没, 注册, 注銷, 無, 用户名, 电子邮件, 电邮, 的, 目标, 目的, 离开, 离职, 空, 系统, 系统中, 经, 被,
    該, 该, 该地址, 该收件人, 辞职, 这个, 退休, 邮件, 郵件地址, 郵箱, 销户, 错, 长期未使用, 长期未登录, 關閉`,
  japanese: `
    あて先, あり, い, いません, おり, おりません, が, このアドレス, ご, された, されて, されてい,
    されています, されました, し, しません, すで, すでに, その, た, で, です, と, という, な, に, に伴い, の,
    は, はもう, ま, ません, みです, も, もう, を, アドレス, サーバ, サーバー, システム, ドメイン, メール,
    ユーザー名, 会員, 停止され, 削除され, 卒業, 受取人, 名前, 在籍し, 契約, 存在, 当, 当サーバー, 担当者,
    既に, 期限切れ, 済み, 現在, 異動, 登録, 社, 社員, 終了, 見つかり, 解約され, 退会し, 退職, 送信先, 部署,
    閉鎖され`,
  korean: `
    가, 계정은, 계정을, 계정이, 는, 더 이상, 되었습니다, 등록되지, 또는, 메일박스, 메일함이, 받는 사람이,
    비활성화, 비활성화되었습니다, 사서함이, 사용되지, 사용자가, 사용자는, 사용자를, 사용자입니다, 삭제되었,
    삭제되었습니다, 수 없습니다, 수신인, 수신자가, 수신자를, 습니다, 않는, 않습니다, 알 수 없는, 없는,
    없습니다, 없음, 은, 을, 이, 이메일, 입니다, 정지되었습니다, 존재하지 않는, 존재하지 않습니다, 주소,
    주소가, 직원, 찾을, 탈퇴한, 퇴사, 퇴사한, 해당, 회원`,
}

/**
 * Concept of a word. `box`: a mailbox or its owner; `address`: an address; `person`, `record`: a word that may mean the
 * recipient or the entry of the recipient in a list; `missing`: says by itself that something does not exist; `closed`:
 * says by itself that something is no longer in use; `left`: says that a person has left; `not`: a negation; `none`: a
 * negation before a noun; `more`: says, after a negation, that something has ended; `there`: says, near a negation, that
 * something does not exist or is not in use; `here`: the host that replies; `guard`: a subject or a reason that leaves
 * the mailbox in doubt, such as the reader, a rule, a list, a size or a passing state; `vague`: a failure or a refusal without
 * a reason.
 */
export type Concept =
  | 'box'
  | 'address'
  | 'person'
  | 'record'
  | 'missing'
  | 'closed'
  | 'left'
  | 'not'
  | 'none'
  | 'more'
  | 'there'
  | 'here'
  | 'guard'
  | 'vague'

/**
 * Words of each concept, by language, as plain words (lower case, without accents). `*` after a word stands for any
 * further letters. A word may stand under several concepts.
 */
export const CONCEPT_WORDS: Readonly<Record<string, Readonly<Partial<Record<Concept, string>>>>> = {
  'before a noun, in all languages': {
    none: `no kein* aucun* ningun* nenhum* nessun* alcun* geen zero brak zaden zadna zadny zadne ziadn* ingen inget inga
      intet nincs* niciun* nicio нет нету нема няма немає nema nav nera pole cap sem sin`,
  },
  'a failure or a refusal, in all languages': {
    vague: `only allow* permit* permi* may must need* requir* should nur solo somente seul* alleen tylko bara kun только fail* failure* failed error* problem* reject* refus* deny denied denies ambiguous verif* check* expansion
      expand* unavailable abgelehnt* verweiger* fehler* fehlgeschlagen erreur* echec* rechaz* rifiut* recus* rejeit*
      erro erros errore errori geweiger* weiger* fout* odrzuc* odmow* blad* odmit* chyba* avvis* afvis* nekad* fel
      feil elutasit* hiba* respins* eroare отклон* отказ* ошибк* відхил* помилк* redded* hata* forbidden prohibit*
      wrong trouble* bounce* undeliver* deliver* accept* process* transaction* available verfugbar* disponib*
      dostepn* доступ*`,
  },
  english: {
    box: `mailbox* inbox* mbox maildir* maildrop* account* acct user users userid* username* useraccount* recipient*
      rcpt* receiver* addressee* alias* customer* subscriber* person member* employee* student* owner* local-part
      localpart* entry mailuser* emailaccount* mailname* nosuchuser* correspondent* postbox* letterbox* home
      homedir* mailaddress* worker* teacher* professor* resident* pupil* participant* patient* clerk* occupant*
      inhabitant* beneficiar* screenname* nickname* individual* mailholder* fellow* freelancer* contractor*`,
    address: 'address* email* mailaddress* emailaddress* destination* target* part',
    missing: `unknown* unkown* unrecogni* unregistered unassigned nonexist* inexist* nosuch* invalid* incorrect wrong bogus
      illegal mistyped misspel* undeliverable unroutable unrouteable unresolvable unresolved absent missing vacant
      undefined bad faulty erroneous unlisted unallocated unmapped unidentified unfamiliar unmatched untraceable
      unlocatable unprovisioned unmanaged nonlocal notfound fictitious imaginary phantom gibberish malformed
      undeliv* bogus* nowhere`,
    closed: `disabled deactivat* inactiv* suspended terminated closed cancel* deleted removed expired retired discontinued
      dormant frozen locked abandoned defunct obsolete dead gone moved archived decommission* purged revoked lapsed
      departed left resigned deceased quit unused parked hangup ceased changed went away disconnected switched
      asleep disband* dissolv* shut shutdown erased wiped vacated unsubscrib* deregister* withdrawn withdrew
      relinquish* dismissed merged replaced superseded cease* ended ends expell* unlinked destroy* liquidat*
      abolish* emptied fired sacked died dies deprovision* deprecat* outdated delisted unattended unmonitored
      disused extinct evicted outlived exhausted recycled released reassigned transferred relocated migrated lapse
      laps* stopped halted retracted banned barred blocked bankrupt overdue unpaid non-payment nonpayment
      inoperative dismantl* scrapped ex former formerly`,
    not: `not no never cannot can don doesn dosn isn wasn aren weren hasn haven hadn didn won wouldn couldn without none
      nor neither nobody noone unable failed fails longer hasnt isnt doesnt dont cant wasnt nowhere nothing`,
    there: `exist* found find locat* known know knows recogni* valid* register* active activat* hosted local present
      listed configured deliverable served serves serviced service associat* assigned match* defined enabled
      provision* resid* belong* lives live works working employed ours handle* identif* resolv* using monitored
      among heard keep have list directory table mapped subscribed appear* specify registered resolve* recognis*
      keeps gets get carries carry house* lodge* residing hold holds own owns passwd created issued stored kept
      contain* includ* correspond* points operational functional legitimate genuine correct right familiar
      maintained occupied attached linked member* such anybody anyone anything exist reachable deliverable* accepted
      allocated mailbox-enabled aware seen named called`,
    guard: `sender* spam* polic* reputation* relay* blacklist* blocklist* authenticat* authori* permission* permit* quota*
      full exceed* limit* size space storage rate throttl* many temporar* later again retry moment busy greylist*
      graylist* dns mx ptr spf dkim dmarc ip ip4 hostname helo ehlo tls ssl starttls certificate* encrypt* content*
      virus* attachment* header* parameter* timeout timed connect* network loop* hop hops moderat* restrict*
      external outside private whitelist* allowlist* callout gateway forgery forged unsolicited bulk suspicious
      backend filter* signature* tenant* unverified process another procmail output you your yours yourself from who
      whom whose reply replies replying return returns sent sending send sends submit* written login logged identity
      behalf callback told according origin* source author* claim* pretend* mailer* backscatter* caller calling
      harvest* dictionary* country* region* port loops looping being maintenance migrat* tomorrow today* monday wait
      down offline read-only readonly licen* config* key keys sign* extension* unsafe purpose* rule rules testing
      challenge* approv* guest* strangers blocks syntax argument* command* unencrypted unsupported supported room
      write writes wrote writing locking dispatch* issuing issuer* transmit* whoever party parties initiat* emitting
      emitter* posting posted poster*`,
    person: `he she they him his her mr mrs ms dr sir madam colleague* contact* staff stranger* someone servant* graduate*
      alumn* gentleman lady department* office desk team faculty people entity nickname handle woman man boss
      manager* director* doctor*`,
    record: `record* entry entries row rows result results match matches mapping* listing* hit hits trace mention one name
      mail mails person body target* alias* home nothing inbox`,
    left: `left retired resigned deceased departed quit passed fired dismissed died pensioned deceas* emigrated`,
    more: 'longer anymore more',
    here: 'here us our ours locally hereabouts around ourselves own',
  },
  german: {
    box: `benutzer* nutzer* anwender* empfanger* empfaenger* postfach* postfacher mailbox* konto* mailkonto* kunde*
      teilnehmer* adressat* mitarbeiter* mitglied* person* briefkasten* inhaber* kennung* mailadresse* nutzerkonto*
      account* benutzername* mitgliedskonto* mailfach* schliessfach* emailkonto* kundenkonto* abonnent* schuler*
      student* lehrer* angestellt* beschaftigt* beschaeftigt* postkasten* inbox eingang*`,
    address: `adresse* mailadresse* emailadresse* zieladresse* empfangeradresse* anschrift* email* mailanschrift* mailbox*
      empfangsadresse* postadresse*`,
    missing: `unbekannt* ungultig* ungueltig* falsch* fehlerhaft* unzustellbar* nichtexist* unauffindbar* nicht-existent*
      nichtvorhanden* unzulassig* unvollstandig* abhanden falsche* verkehrt* inexistent* unerreichbar* ungenutzt*
      unbenutzt* unbesetzt*`,
    closed: `gesperrt* deaktiviert* geschlossen* geloscht* geloescht* abgeschaltet* stillgelegt* inaktiv* gekundigt*
      gekuendigt* aufgelost* abgemeldet* eingestellt* entfernt* erloschen* abgelaufen* verzogen* ausgeschieden*
      verlassen* beendet* aufgegeben* archiviert* verstorben* ausgetreten* weg weggefallen* entfall* wegfall*
      ruhend* ausgelaufen* eingefroren* suspendiert* abgeschafft* auszer* ausgeschaltet* exmatrikul* umbenannt*
      ersetzt* veraltet* ehemalig* tot verwaist*`,
    not: 'nicht kein* keine keiner keinen nie niemals niemand ohne',
    there: `existier* bekannt* gefunden* vorhanden* verfugbar* verfuegbar* registriert* eingerichtet* gultig* gueltig*
      aktiv* auffindbar* angelegt* zustellbar* erreichbar* gibt vergeben* zugeordnet* ermittel* finden kennen kennt
      kenne besteht hinterlegt* genutzt* verwendet* besitzt konfiguriert* freigeschaltet* auflosbar* gibts arbeitet*
      beschaftigt* beschaeftigt* tatig* taetig* fuhren fuehren verwalte* belegt* aufgelost* aufloesbar* existent*
      zuzuordnen zuordenbar* angemeldet* benutzt* benannt* namens geben bestehend* mitglied* verzeichnet*
      identifizier* freigegeben* lokal* verwendung* gebrauch* erkannt* einen`,
    guard: `absender* richtlinie* quote* voll* speicher* uberschritten* ueberschritten* zu viele grosse vorubergehend*
      voruebergehend* spater spaeter erneut sperrliste* blacklist berechtig* erlaubt* anmeld* authentifiz* limit*
      zertifikat* inhalt* anhang* verteiler* gruppe* extern* sie ihr ihre ihrem ihren ihrer ihnen platz passt passen
      nimmt nehmen annimm* angenommen umgezogen umzug wartung storung* stoerung* verschlusselt* lander* nur von
      rueckfrage* ruckfrage* schlussel* schluessel* partner* fremd* intern* land bekannte bekannten bekannter*
      erreichbar* einliefer* versend* versand* verschick* abschick* absend* sendende* ausstell* schreib*`,
    person: `herr herrn frau kolleg* mitarbeiter* ansprechpartner* person* jemand leiter* professor* dozent* kontakt*
      empfanger* name namen jemanden niemand niemanden`,
    record: 'eintrag* treffer* datensatz* ergebnis* zuordnung* name namen adressbuch* verzeichnis* liste',
    more: 'mehr lang langer laenger',
    left: 'verlassen ausgeschieden verstorben pensioniert* rente ruhestand gegangen weggezogen',
    here: 'hier uns unser* hiesig* diesem dieser eigenen',
  },
  french: {
    box: `utilisateur* destinataire* compte* boite* bal abonne* usager* titulaire* messagerie correspondant* personne
      client* membre* beneficiaire* casier* bals agent* salarie* adherent* etudiant* professeur* collaborateur*
      personnel* employe* proprietaire* alias identifiant* mail-box`,
    address: 'adresse* courriel* email* mail adress* e-mail* courrier*',
    missing: `inconnu* inexistant* invalide* introuvable* erron* incorrect* mauvais* inexist* errone* faux fausse incomplet*
      vacant* absent* nul`,
    closed: `desactive* suspendu* ferme* supprime* cloture* inactif* inactive* resilie* bloque* expire* efface* archive*
      annule* verrouille* quitte* abandonne* radie* obsolete* perime* desactiv* supprim* desabonn* perim* radi*
      eteint* abandon* termin* gele* gelee bannie* banni suspend* ancien* obsolet* revoque* detruit* restitu* effac*
      remplace* desuet* demenage* inutilis*`,
    not: 'pas plus non aucun* ne n jamais ni personne sans impossible nul*',
    there: `exist* trouv* connu* connait connais* valid* valable* disponible* repertorie* enregistre* actif* active*
      attribue* referenc* reconnu* joignable* defini* utilise* travaill* service localis* identifi* declare* cree*
      partie porte figure* figurent resid* employ* effectif* attribu* affect* present* inscrit* abonne* ouvert*
      heberge* operationnel* servi* connus delivrable* joint rattach* lie gere*`,
    guard: `expediteur* emetteur* quota plein* satur* depasse* espace taille politique* droit* autoris* authentif* relais
      temporaire* tard reessay* contenu* piece* vous votre vos ecrire ecriv* envoy* accept* indisponible* pays ip
      seul* uniquement emett* emis expedi* envoi*`,
    person: `monsieur madame mr mme collegue* correspondant* personne agent* nom individu* titulaire* professeur* employe*
      nul`,
    record: 'enregistrement* entree* resultat* correspondance* trace nom',
    more: 'plus',
    left: 'quitte parti retraite decede* demission*',
    here: 'ici nous notre nos chez',
  },
  spanish: {
    box: `usuari* destinatari* cuenta* buzon* casilla* titular* persona* cliente* empleado* abonado* receptor* alumn*
      casillero* colaborador* trabajador* funcionari* docente* estudiante* profesor* estudiant* socio* afiliad*
      suscriptor* propietari* identificador* bandeja* destinat* contacto*`,
    address: 'direccion* correo* email* mail e-mail* mails direcc* casillas* correos',
    missing: `desconocid* inexistent* invalid* erron* incorrect* equivocad* incomplet* inexist* fals* mal ausent*
      ilocalizable* irreconocible*`,
    closed: `desactivad* deshabilitad* inhabilitad* suspendid* cerr* cancelad* eliminad* borrad* inactiv* caducad* expirad*
      bloquead* baja anulad* suprimid* archivad* vencid* desvinculad* desactiv* clausurad* finalizad* terminad*
      revocad* congelad* abandonad* obsolet* antigu* dado dada desuso inutilizad* extinguid* expir* caduc* retirad*
      dej*`,
    not: 'no ningun* nunca ya sin nadie ni imposible tampoco jamas',
    there: `exist* encontr* encuentra* valid* disponible* registrad* conocid* conoce* activ* habilitad* localiz* hallad*
      dispon* vigente* reconocid* asignad* pertenece* corresponde* identific* figura* hay trabaja* labora* asociad*
      configurad* ubicad* forma parte tiene tenemos existia localizad* cread* asign* alojad* activa* figur* existe*
      disponib* identificad* operativ* utiliz* usad* vincul* reconoc* hallar* aparec* pertenec* correct* ubic* dad*
      tal`,
    guard: `remitente* emisor* cuota* llen* espacio limite* excedid* superad* politica* permis* autoriz* autentic*
      temporal* despues tarde intente contenido* relay usted ud acepta* admite* recib* ip pais* sitio remit* solo
      solamente origen* envi* emit* escrib*`,
    person: `senor* senora* sr sra colega* colaborador* funcionari* persona* nadie nombre titular* profesor* empleado*`,
    record: 'registro* entrada* resultado* coincidencia* nombre',
    more: 'mas ya',
    left: 'retirad* jubilad* fallecid* renunci*',
    here: 'aqui nuestr* nosotros',
  },
  portuguese: {
    box: `usuari* utilizador* destinatari* conta* caixa* pessoa* cliente* funcionari* assinante* titular* colaborador*
      aluno* servidora* associado* professor* estudante* assinant* membro* associad* dono* proprietari* destinat*
      caixas contas`,
    address: 'endereco* email* correio mail e-mail* enderec* correios',
    missing: `desconhecid* inexistent* invalid* incorret* errad* inexist* incomplet* fals* ausent* errone* incorrec*`,
    closed: `desativad* desactivad* desabilitad* suspens* encerrad* cancelad* excluid* bloquead* inativ* inactiv* removid*
      apagad* expirad* eliminad* vencid* demitid* desligad* fechad* desativ* finalizad* terminad* congelad*
      abandonad* obsolet* antig* extint* revogad* cancel* expir* retirad* deletad* banid* afastad* dado dada baixa
      suspend*`,
    not: 'nao nenhum* nunca ja sem ninguem',
    there: `exist* encontrad* encontrar localizad* valid* disponivel* indisponivel* cadastrad* registad* registrad*
      conhec* ativ* reconhecid* pertenc* atribuid* habilitad* trabalha* ha parte quadro localiz* temos tem consta*
      figura* criad* hospedad* identific* operacional utilizad* usad* vinculad* corret* existe* pertence*
      corresponde* registr* achad* listad* mais`,
    guard: `remetente* cota quota chei* lotad* espaco limite* excedid* politica* permit* permiss* autoriz* autentic*
      temporari* tarde novamente conteudo* voce aceita* receb* ip pais somente apenas envi* emit* remet* escrev*`,
    person: 'senhor* sr sra colega* colaborador* funcionari* ninguem nome professor* empregad*',
    record: 'registro* entrada* resultado* nome',
    more: 'mais',
    left: 'aposentad* falecid* deslig* demitid*',
    here: 'aqui nosso* nossa*',
  },
  italian: {
    box: `utent* destinatari* casell* account* conto cliente* titolar* person* intestatari* abbonat* dipendent*
      studente* professor* collaborator* socio soci iscritt* proprietari* mailbox* recapit* contatto* account`,
    address: 'indirizz* email* mail mails e-mail* recapito',
    missing: `sconosciut* inesistent* invalid* errat* scorrett* inesist* incomplet* fals* assente assenti irreperibil*
      errone* sbagliat*`,
    closed: `disattivat* disabilitat* sospes* chius* cancellat* eliminat* inattiv* cessat* rimoss* scadut* dismess*
      bloccat* soppress* disdett* lasciat* inutilizz* disattiv* disabilit* terminat* abbandonat* obsolet* vecchi*
      revocat* congelat* ritirat* estint* elimin* decadut* scad* cess* vecchio ex`,
    not: 'non nessun* mai piu senza nessuno ne alcun*',
    there: `esist* trovat* trovar* valid* attiv* conosc* disponibil* registrat* riconosciut* presente risult*
      raggiungibil* abilitat* assegnat* lavora* rintracciat* configurat* previst* associat* corrisponde* fa parte
      censit* figura* creat* ospitat* identificat* operativ* utilizzat* usat* collegat* corrett* figur* attivat*
      iscritt* elencat* noto nota note appartien* disponib* esistente esistent* recapitabil* consegnabil*`,
    guard: `mittent* quota pien* spazio limit* superat* policy politic* permess* autorizz* autentic* temporane* tardi
      riprov* contenut* suo sua vostro vostra lei voi accett* ip solo soltanto riceve* spedi* invia* inviat* scrive
      scrivete`,
    person: 'signor* collega collegh* dipendent* nessuno nome professor*',
    record: 'record voce risultat* corrispondenz* nome',
    more: 'piu',
    left: 'pensionat* decedut* dimess* andato lasciat*',
    here: 'qui noi nostr* presso',
  },
  catalan: {
    box: 'usuari* destinatari* bustia compte*',
    address: 'adreca* correu*',
    missing: 'desconegu* inexistent* invalid* incorrect*',
    closed: 'desactivad* tancad* suspes* eliminad* inactiv* suprimi* cancel*',
    not: 'no cap mai sense',
    there: 'exist* trob* conegu* valid* registr* activ* disponible*',
    guard: 'remitent* quota ple*',
  },
  romanian: {
    box: `utilizator* destinatar* cont contul* casut* cutia* abonat* persoan* contul contului student* angajat* client*
      persoana`,
    address: 'adres* email* e-mail* posta',
    missing: 'necunoscut* inexistent* invalid* gresit* incorect* inexist* necunosc* eronat* lipsa lipseste',
    closed: `dezactivat* inchis* suspendat* sters* desfiintat* inactiv* blocat* expirat* anulat* eliminat* dezactiv* sterse
      suspend* desfiint* expir* anul* elimin* revoc* retras* plecat*`,
    not: 'nu niciun* nici fara',
    there: `exist* gasit* cunoscut* valid* inregistrat* activ* disponibil* recunoscut* lucreaza* figureaza* gaseste
      cunosc* inregistr* disponib* recunosc* atribuit* creat* asemenea astfel folosit*`,
    guard: 'expeditor* cota plin* spatiu limit* temporar* dumneavoastra accept* ip doar trimi* expedi*',
    person: 'angajat* nimeni coleg*',
    more: 'mai',
    here: 'aici noi nostru nostri',
  },
  dutch: {
    box: `gebruiker* ontvanger* mailbox* postbus* postvak* account* geadresseerde* klant* persoon medewerker* abonnee*
      student* docent* postvakken inbox* eigenaar* lid leden`,
    address: 'adres* emailadres* mailadres* mail e-mail* adress*',
    missing: `onbekend* ongeldig* onjuist* onbestelbaar* foutief* verkeerd* onvindbaar* incorrect* fout foute onvolledig*
      afwezig* verkeerde nietbestaand* onbestaand* inexistent*`,
    closed: `opgeheven uitgeschakeld* gedeactiveerd* geblokkeerd* verwijderd* gesloten beeindigd* opgezegd* inactief*
      verlopen vervallen afgesloten gewist vertrokken afgemeld stopgezet gedeactiv* gestopt beeindig* ingetrokken
      inactiev* verlaten bevroren opgeschort* gestaakt* weg ontslagen verhuisd oud oude voormalig* vergrendeld*
      verouderd* afgeschaft* geannuleerd* buiten`,
    not: 'niet geen nooit niemand zonder',
    there: `bestaat bestaan* gevonden bekend* geldig* beschikbaar* geregistreerd* actief* bereikbaar* gekend herkend*
      aanwezig toegewezen gebruik* kennen bezorgd* dienst werkzaam werkt hebben heeft voorkomt bestaand* aangemaakt*
      toegekend* actieve aangesloten juist* correct* bezorgbaar* vindbaar* werkt* ingericht* zulk* dergelijk*
      zodanig* ons`,
    guard: `afzender* quotum vol limiet* ruimte beleid toegestaan tijdelijk* later opnieuw inhoud uw ip alleen uitsluitend
      plaats verstu* verzend* verzond* stuur* stuurt schrijft`,
    person: 'heer mevrouw dhr mevr collega* medewerker* niemand iemand naam',
    record: 'record* vermelding* resultaat* naam',
    more: 'meer langer',
    left: 'vertrokken overleden pensioen ontslag*',
    here: 'hier ons onze',
  },
  polish: {
    box: `uzytkownik* odbiorc* adresat* skrzynk* kont* klient* osob* abonent* wlasciciel* pracownik* student*
      nauczyciel* skrzynek konta kontem konto alias* czlonek czlonk* posiadacz* osoba`,
    address: 'adres* email* mail e-mail* poczt* adresow*',
    missing: `nieznan* nieprawidlow* niepoprawn* bledn* nieistniej* niewlasciw* nieznal* nieobecn* falszyw* zly zla zle
      pusty nieodnalez* niewazn* nieistn* mylny* bledny`,
    closed: `zablokowan* nieaktywn* usuniet* zamkniet* zawieszon* wylaczon* zlikwidowan* skasowan* dezaktywowan* wygas*
      zwolnion* odszedl odeszla nieaktyw* wylacz* rozwiazan* porzucon* zamroz* skasow* zlikwid* usun* zakonczon*
      dezaktyw* odszed* emeryt* wypowiedzian* byly uniewazn* zastapion*`,
    not: 'nie brak zadn* nigdy nikt bez juz',
    there: `istnie* znalez* znan* zarejestrowan* aktywn* dostepn* odnalez* prawidlow* poprawn* pracuje* obslugiwan*
      przypisan* takiej takiego figur* zatrudnion* widnieje ma mamy utworzon* wystepuj* uzywan* istniej* obecn*
      dzial* znany znane znaleziony odnalezion* zalozon* taki takie`,
    guard: `nadawc* limit* peln* przepelnion* przekroczon* miejsc* polityk* chwilow* tymczas* pozniej ponownie twoj* pan
      pani przyjm* ip tylko miejsca wysl* wysyl* nadaw*`,
    person: 'pracownik* nikt nikogo kolega* osoba osoby imie nazwisk*',
    record: 'wpis* rekord* wynik* nazwie',
    more: 'juz',
    left: 'odszedl odeszla zwolnion* zmarl*',
    here: 'tu tutaj nas nasz* naszej',
  },
  'czech, slovak': {
    box: `uzivatel* pouzivatel* prijemc* adresat* schrank* ucet ucty uctu konto klient* osob* schranok student*
      zamestnan* majitel* ucitel* clen* uctem odberatel*`,
    address: 'adres* email* mail e-mail* adresou adresy',
    missing: `neznam* neexist* neplatn* nespravn* chybn* nedoruciteln* nenalez* nenajd* neplat* chybna mylna spatna spatny
      nepouziv* nedostup* neaktu*`,
    closed: `zrusen* zablokovan* neaktivn* deaktivovan* smazan* zmazan* uzavren* pozastaven* vypnut* odstranen* ukoncen*
      zrus* vymazan* deaktivov* neaktiv* zanik* skonc* ukonc* vypov* uzamc* pozastav* suspend* opusten* zamcen*
      byvaly*`,
    not: 'ne nie neni nebyl* nebol* nelze nema* zadn* ziadn* nikdo nikto bez',
    there: `existuj* nalezen* najden* znam* platn* registrovan* aktivn* dostupn* evidovan* nenalezen* nenasl* nenasiel*
      zrizen* zriaden* nemame mame pracuje eviduj* veden* existov* zalozen* vytvor* pouziv* nasl* nasiel*
      doruciteln* prirazen* znamy* takov* taky* zridi*`,
    guard: `odesilatel* odosielatel* kvot* pln* preplnen* limit* misto docasn* pozdeji znovu politik* vas vase* prijim* ip
      pouze odesl* odesil* odosl* odosiel* zaslan*`,
    person: 'nikdo nikoho zamestnan* pan pani kolega*',
    record: 'zaznam* jmeno',
    more: 'jiz',
    left: 'odesel odesla zemrel* vypovezen*',
    here: 'zde tu nas nase* nasem',
  },
  hungarian: {
    box: `felhasznalo* cimzett* postafiok* postalada* fiok* szemely* postalad* felhasznal* diak* dolgozo* ugyfel*
      tulajdonos*`,
    address: 'cim cime cimen cimet emailcim* email* e-mail* levelcim* cimek',
    missing: `ismeretlen* ervenytelen* hibas* helytelen* nemletezo nemletez* ervenytel* rossz helytel* kezbesithetetlen*`,
    closed: `megszunt* torolt* torolve* zarolt* zarolva* letiltott* letiltva* inaktiv* felfuggeszt* lezart* bezart*
      megszun* torol* lezar* bezar* felfugg* letilt* zarol* megszuntet* eltavolit* lejart`,
    not: 'nem nincs nincsen sem senki nelkul',
    there: `letez* talal* ismert* ervenyes* regisztral* aktiv* elerheto* ilyen dolgoz* nev nevu nincs nincsen elo
      szerepel* ismer* tartoz* hasznal*`,
    guard: 'felado* kvota* megtelt tele hely ideiglenes* kesobb ip csak kuld* felad* levelkuld*',
    person: 'senki munkatars* kollega*',
    more: 'mar tobbe',
    here: 'itt nalunk',
  },
  'swedish, danish, norwegian': {
    box: `anvandar* brugere* bruger* bruker* mottagar* modtager* mottaker* konto* kontot brevlad* postkass* postboks*
      innboks* inkorg* indbakke* person* kund* brevlada* mailbox* anvandarkont* brukerkont* brugerkont* postlad*
      medlem* elev* student* ansat* ansatt* kunde kunden mottagarkont* konti`,
    address: 'adress* mailadress* epostadress* epost* email* mail e-post* mailen adresse*',
    missing: `okand* ukendt* ukjent* ogiltig* ugyldig* felaktig* forkert* feil obekant* obefintlig* ukend* ukjen* feilaktig*
      saknas savnes mangler ikkeeksister*`,
    closed: `avslut* stangd* stangt avstangd* avstangt inaktiv* sparrad* sparrat sparret* sperret* deaktiver* nedlagt*
      nedlagd* lukket* slettet* raderad* raderats borttag* stengt* ophort* opphort* suspender* sluttet slutat
      fjernet uppsag* oppsag* opsag* stangt* avaktiver* inaktiver* upphor* opphor* ophor* avsluta* avslutt* afslut*
      slett* slettet raderat* avregistr* last lukke* nedlag* utgatt utgangen sparra* sperr* sparret pensioner*
      fjern*`,
    not: 'inte ikke ej aldrig aldri ingen inget inga intet saknas utan uden uten',
    there: `finns findes finnes hittad* hittas hittades fundet funnet kand* kend* kjent* giltig* gyldig* registrer* aktiv*
      tillganglig* tilgaengelig* tilgjengelig* eksister* exister* langre laengere lenger fanns oppna* anvands bruges
      brukes arbetar arbejder jobbar jobber saknas existe* eksiste* oprett* opprett* skapat* registre* fins hitta*
      finde* kjen* kann* anvand* bruk* tilhor* tillhor* leverbar* oppforte`,
    guard: `avsandar* avsender* afsender* full* kvot* granse* grense* plads plats tillfallig* midlertidig* senere senare
      din ditt accepter* aksepter* ip bara kun avsand* avsend* afsend* skick* sandar* sender* sendte skrev skriv*`,
    person: 'ingen medarbetar* medarbejder* ansatt* anstalld* kollega*',
    record: 'post oppforing* navn namn',
    more: 'langre laengere lenger kvar mer mere',
    left: 'slutat sluttet fratradt pensioner* avliden',
    here: 'her oss hos vart vores',
  },
  finnish: {
    box: `kayttaja* vastaanottaja* postilaatik* tili tilia tilin tunnus* henkilo* tili* vastaanotta* asiaka* opiskelij*
      tyontekij* jasen*`,
    address: 'osoit* sahkopost* email*',
    missing: `tuntematon* tuntemattom* virheelli* olematon* tuntema* olemato* virheel* vaara* puuttuu kelvoto*`,
    closed: `suljet* poistet* lakkautet* lukit* paattyn* vanhentun* passiiv* poist* sulje* lakkau* paatty* vanhen* lopet*
      jaady* passiv* estet* deaktiv*`,
    not: 'ei eika eivat eipa ilman',
    there: `ole olemassa loydy* loyty* tunnet* tunne kelvolli* voimassa kaytos* rekistero* enaa tyoskente* tunneta
      tunnettu ole* loyd* loyt* tunne* tunnist* kelvol* voimas* kayto* rekister* aktiiv* olemas*`,
    guard: 'lahettaja* taynna kiintio* tilapai* valiaikai* myohemmin sinun vain lahet*',
    more: 'enaa',
    here: 'taalla meilla',
  },
  'estonian, latvian, lithuanian': {
    box: 'kasutaja* saaja* postkast* konto* lietotaj* sanemej* pastkast* konts vartotoj* gavej* paskyr* dezut* dezute*',
    address: 'aadress* adres* epost* pasta',
    missing: 'tundmatu* vigane nezinam* nepareiz* nezinom* neteising* neegzistuoj* neeksist* negalioj*',
    closed: `suletud* kustutat* blokeerit* slegt* dzest* bloket* isjungt* panaikint* uzblokuot* uzdaryt* sulet* kustut*
      blokee* deaktiv* aegun* anulet* isjung* panaikin* istrin* uzblok* neaktyv* neaktiv* likvid*`,
    not: 'ei pole nav ne nera',
    there: `leitud* eksisteer* olemas atrast* eksist* rast* egzistuoj* zinam* zinom* kehti* derig* nav nera leit* teada
      tuntud atrod* pastav* aktiv* egzist* galioj* registr* surasti`,
    guard: 'saatja* sutitaj* siuntej* tais pilns perpild* kvoot* kvota* laikin* ajuti*',
  },
  'croatian, serbian, slovene': {
    box: `korisnik* primatelj* primala* primaoc* sanduc* pretin* nalog* racun* uporabnik* prejemnik* naslovnik* predal*
      osob* oseb* korisni* primatel* primal* pretinc* uporabni* prejemni* student* clan* zaposleni*`,
    address: 'adres* naslov* email* e-mail* mail posta poste',
    missing: `nepoznat* nepostoj* neispravn* nevazec* pogresn* neznan* neveljav* neobstoj* napacn* nepozn* neisprav* nevaz*
      pogres* krivo kriva neobsto* napac*`,
    closed: `ukinut* obrisan* onemogucen* deaktiviran* zatvoren* blokiran* suspendovan* izbrisan* ukinjen* zaprt*
      onemogocen* neaktivn* ugasen* ugaseno odstranjen* iskljucen* obris* zatvor* deaktiv* onemoguc* blokir*
      suspend* izbris* iskljuc* istek* neaktiv* odstran*`,
    not: 'ne nije nema ni nisu nikad nikada nitko niko nihce',
    there: `postoj* pronad* pronadj* pronaden* obstaj* najden* nadjen* poznat* znan* vazec* veljav* registr* aktiv* nema
      nadj* najd* pozna* otvor* takav* takv*`,
    guard: `posiljatelj* posiljalac* posiljaoc* pun puna poln* kvot* kasnij* privremen* zacasn* vas vasa ip poslao salje*
      posilja* posalj* poslal*`,
    more: 'vise vec',
    here: 'ovdje ovde nas kod',
  },
  'russian, ukrainian, bulgarian, macedonian, serbian': {
    box: `пользовател* получател* адресат* ящик* аккаунт* учетн* запис* абонент* владел* клиент* сотрудник* користувач*
      одержувач* отримувач* скриньк* потребител* кутия* сметка* корисник* корисници* примач* примаоц* прималац*
      сандуче* налог* человек* почты polzovatel* poluchatel* adresat* yaschik* yashchik* jashchik* yashik* pochtov*
      akkaunt* abonent* korisnik* пользоват* аккаун* учётн* получат* сотрудн* студент* работник* почтов* акаунт*
      профил* потребит* кути* пощенск* корисни* сандуч*`,
    address: `адрес* почт* пошт* емаил* email* почты почту adres* pochta pochty почта почтой пошта пошти имеил* имеил е-mail
      мейл*`,
    missing: `неизвестн* несуществ* неверн* недеиств* невідом* неіснуюч* неправильн* ошибочн* непознат* непостое* непостој*
      невалид* несъществ* некорректн* neizvest* nesushchestv* nesuschestv* neverny* неизвест* ошибоч* неправиль*
      некоррект* отсутств* невірн* недіисн* помилков* несъщ* грешен грешна непозн* непосто*`,
    closed: `удален* отключен* заблокирован* закрыт* приостановлен* заморожен* неактив* деактивир* ликвидирован* видален*
      вимкнен* заблокован* закрит* изтрит* уволен* снят* прекращен* истек* упразднен* выбыл* аннулирован* блокир*
      уволил* udalen* zablokirovan* otklyuchen* zakryt* угасен* отменен* удал* отключ* заблок* заморож* ликвид*
      неактивн* деактив* приостан* упразд* прекрат* аннулир* расторг* видал* вимкн* призупин* спрян* избрис* укинут*
      затвор*`,
    not: 'не нет нету ни никогда немає нема няма није без отсутств* больше ne net nema nyama',
    there: `существ* наиден* наидено обнаруж* зарегистр* известен известн* активен активн* действител* деиствител* доступ*
      знаиден* існує існу* намерен* познат* съществ* постои постоји пронаден* пронађен* работает используется*
      обслуживается* sushchestv* suschestv* naiden* najden* nayden* zaregistrir* такой такого обслужива* работа*
      знаем takogo takoi нет нету немає нема няма net nema nyama наид* значит* числит* деиствит* создан* заведен*
      имеетс* обслужив* используе* прописан* знаид* зареєстр* діиснии активнии відом* намер* регистр* валид* пронад*`,
    guard: `отправител* відправник* подател* испраќач* переполн* переповн* квот* полон полна лимит* превыш* превышен*
      места политик* спам* временн* тимчасов* позже позднее повтор* соединен* подключен* вас вам вами ваш* вы
      принима* otpravitel* vash* ip только от прав доступа права вашего вашему вашим доступ разреш* заполнен*
      заповнен* пълна препълн* sotrudnikov принимает сервер-отправ* отправ* посла* прислал* надісл* відправ* изпрат*`,
    person: 'сотрудник* никого никто коллег*',
    left: 'уволен* уволил* ушел умер',
    more: 'больше більше вече повече више',
    none: 'takogo',
    here: 'здесь тут нас наш* нами тук нашия nas nash*',
  },
  turkish: {
    box: `kullanici* alici* hesap* hesab* kutu* kisi* musteri* uye* sahib* kullanic* posta abone* calisan* personel*
      ogrenci*`,
    address: 'adres* eposta* posta mail* e-posta* email*',
    missing: `bilinmeyen* bilinmiyor* gecersiz* bulunamad* bulunmu* bulunmama* yok yoktur hatali* tanimsiz* tanimiyor*
      bulunam* bulunma* bilinm* hatal* tanims* mevcutdegil yanlis* tanimla* taninm*`,
    closed: `kapali* kapatil* kapatild* askiya silin* silinmis* devre pasif* iptal* kullanilmi* kullanilma* ayril*
      kapatilmis* kapatildi* kapat* kapal* silmis* pasiflestir* askiya* dondur* devredis* kaldiril* sonlandir*
      engellen* bloke*`,
    not: 'degil degildir hic yok',
    there: `mevcut* kayitli* gecerli* tanimli* aktif* bulun* calis* bulunma* yok yoktur kayit* gecerl* taniml* kullanil*
      tanin* var ait`,
    guard: `gonderen* gonderici* dolu doldu kota* gecici* sonra tekrar izin* siz* sunucunuz* kabul ip yalniz* sadece
      gonder* yolla*`,
    person: 'calisan* kimse',
    more: 'artik',
    here: 'burada bizde sunucumuz*',
  },
  greek: {
    box: 'χρηστη* παραληπτ* λογαριασμ* γραμματοκιβωτι* θυριδ* χρηστ* πελατ* γραμματοθυριδ*',
    address: 'διευθυνσ*',
    missing: 'αγνωστ* ανυπαρκτ* ακυρ* λανθασμεν* εσφαλμεν* λανθασ* εσφαλμ* μηυπαρκτ*',
    closed: 'απενεργοποι* κλειστ* ανενεργ* διαγραφ* διεγραφ* καταργ* ανασταλ* απενεργ* αναστ* εκλεισ* ληξ*',
    not: 'δεν μη μην χωρις',
    there: 'υπαρχ* βρεθηκ* βρισκ* γνωστ* εγκυρ* ενεργ* καταχωρ* διαθεσιμ* βρεθ* διαθεσ* αναγνωρ* αντιστοιχ*',
    guard: 'αποστολε* γεματ* οριο προσωριν* αργοτερα σας διακομιστ* αποστελ* στειλ* εστειλ*',
    more: 'πια πλεον',
    here: 'εδω μας',
  },
  hebrew: {
    box: 'משתמש המשתמש נמען הנמען תיבה תיבת התיבה חשבון החשבון מנוי לקוח',
    address: 'כתובת הכתובת דואר',
    missing: 'שגוי שגויה שגוייה לאקיים',
    closed: 'סגור סגורה מושבת מושבתת נמחק נמחקה חסום חסומה מושעה בוטל בוטלה נסגר נסגרה הוסר הוסרה מבוטל',
    not: 'לא אינו אינה אין',
    there: 'קיים קיימת נמצא נמצאה מוכר מוכרת פעיל פעילה רשום תקין תקינה ידוע תקף תקפה',
    guard: 'השולח שולח מלאה מלא זמנית מאוחר',
  },
  'arabic, persian': {
    box: `المستخدم مستخدم المستلم مستلم الحساب حساب صندوق الصندوق المستقبل کاربر گیرنده بريد حسابی المرسل-اليه`,
    address: 'العنوان عنوان البريد بريد آدرس ادرس ایمیل',
    missing: 'مجهول خاطئ ناشناس ناشناخته نامعتبر اشتباه خطأ خاطئة معدوم مجهولة نامشخص',
    closed: `معطل مغلق محذوف موقوف غيرنشط محظور غیرفعال مسدود بسته معطلة مغلقة محذوفة موقوفة ملغى تعطيل إغلاق اغلاق حذف
      تم-حذف حذفه`,
    not: 'غير لا ليس لم نیست نشد غیر لن ليست',
    there: `یافت موجود موجودة معروف معروفة صالح صالحة يوجد توجد نشط فعال وجود ندارد معتبر يتم العثور متاح مسجل مسجلة ثبت
      شناخته`,
    guard: 'المرسل مرسل ممتلئ ممتلئة حصة مؤقت مؤقتا لاحقا فرستنده',
  },
  'indonesian, malay, vietnamese': {
    box: 'pengguna penerima akun kotak nguoi tai hop thu alamat pelanggan karyawan',
    address: 'alamat surel emel email dia thu',
    missing: 'salah keliru invalid sai',
    closed: `dinonaktif* nonaktif ditutup dihapus diblokir ditangguhkan dibekukan vo khoa nonaktif* tutup ditutup* dihapus*
      diblokir* ditangguh* dibeku* hapus xoa ngung dong huy`,
    not: 'tidak tak belum bukan khong chua',
    there: `ditemu* ada dikenal* terdaftar valid aktif wujud dijumpai tersedia sah ton biet hop dung tim hoat tồn tại
      terdaftar* aktif* wujud* dijumpai* tersedia* tai`,
    guard: 'pengirim penuh kuota sementara lagi gui day anda',
  },
}

/** Signs of each concept in scripts without spaces, or with endings on every word; the word order does not matter. */
export const CONCEPT_SIGNS: Readonly<Partial<Record<Concept, string>>> = {
  box: `用户 用戶 收件人 收信人 收件者 邮箱 郵箱 信箱 账号 帐号 帳號 账户 帐户 帳戶 使用者 联系人 接收人 收件地址 目标用户 户名 此人 ユーザ 利用者 宛先 あて先 受信者 受取人 メールボックス アカウント
    会員 加入者 사용자 수신자 수신인 받는사람 계정 메일함 사서함 편지함 회원 ผู้ใช้ ผู้รับ บัญชี กล่อง`,
  address: '地址 邮件地址 電子郵件 アドレス 주소 ที่อยู่ อีเมล 이메일',
  missing: `不存在 不可用 未知 无效 無效 无此 無此 查无 查無 找不到 未找到 没有找到 没有此 沒有此 没有这个 沒有這個 不正确 错误 不详 未注册 未註冊 未开通 不明 存在しま 存在しない 見つかりま
    ございません ありません おりません 使われていません 無効 不正 存在せず 見当たりません 존재하지 없는 없습니다 없음 찾을수없 알수없 잘못된 유효하지 등록되지 미등록 ไม่พบ ไม่มี ไม่รู้จัก
    ไม่ถูกต้อง`,
  closed: `停用 禁用 冻结 凍結 注销 註銷 锁定 鎖定 关闭 關閉 过期 過期 休眠 删除 刪除 取消 离职 離職 停机 失效 作废 销户 停止 解約 廃止 削除 閉鎖 退会 退職 休止 期限切れ 삭제 정지 휴면
    비활성 폐쇄 탈퇴 해지 차단된계정 ถูกปิด ระงับ ถูกลบ ยกเลิก`,
  guard: `发件 發件 寄件 寄信 发信 發信 送信 差出 发送者 发送人 您的 您 貴 お客 满 滿 已满 超限 超出 容量 空间 空間 不足 いっぱい 満杯 超過 上限 频率 频繁 黑名单 黑名單 垃圾 拒收 拒绝 拒絕
    策略 规则 暂时 暫時 稍后 稍後 一時 内容 附件 病毒 스팸 발신 보낸 가득 초과 용량 일시 차단 정책 ผู้ส่ง เต็ม ชั่วคราว`,
}
