// Words of replies by concept: a mailbox, its absence, and subjects that leave the mailbox in doubt. The tables are the
// place for a new word or language.

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
