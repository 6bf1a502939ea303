"""Words of one meaning, in the languages we know: data for questions asked in other words than the note's.

One meaning a line, folded as `text.fold` does. A Latin word is found by its beginning (`delet` finds `delete`),
a Chinese, Japanese or Korean one by all its pairs of characters.
"""

# ruff: noqa: E501 - a meaning is a line
from __future__ import annotations

MEANINGS = """
delete remove erase drop purge loschen entfernen supprimer effacer 删除 移除 清除 削除 삭제 제거
add append insert hinzufugen erganzen ajouter 添加 增加 追加 추가
change modify alter edit adjust andern anpassen bearbeiten modifier changer 修改 更改 变更 変更 修正 변경 수정
create make generate produce erstellen anlegen erzeugen creer generer 创建 生成 新建 作成 생성 작성
begin start launch boot starten anfangen demarrer lancer 启动 开始 起動 開始 시작 기동
stop halt terminate shutdown abort stoppen beenden abbrechen arreter 停止 终止 終了 중지 종료
restart reboot neustart neustarten redemarrer 重启 再起動 재시작
fast quick quicker rapid faster speed speedup schnell schneller geschwindigkeit rapide vite vitesse 快 速度 加快 高速 빠른 속도
slow slowly sluggish lag delay latency langsam verzogerung lent lenteur retard 慢 缓慢 延迟 遅い 遅延 느린 느려 지연
crash abort die killed absturz absturzen abgesturzt planter plantage 崩溃 宕机 落ちる クラッシュ 충돌 다운
error failure fault bug defect fehler storung erreur panne defaut 错误 故障 报错 エラー 障害 不具合 오류 에러 장애
fail failed broken fehlschlagen fehlgeschlagen scheitern kaputt echouer echec casse 失败 坏了 失敗 실패
exception ausnahme 异常 例外 예외
repair fix mend solve resolve beheben reparieren losen corriger reparer resoudre 修复 解决 修正 修理 解決 수정 해결
problem issue trouble schwierigkeit probleme 问题 問題 문제
test testing tests tester essai 测试 テスト 试验 테스트 시험
flaky unstable random intermittent wackelig instabil zufallig instable aleatoire 随机 不稳定 不安定 ランダム 불안정 무작위
deploy deployment release rollout ship ausrollen bereitstellen veroffentlichen deployer deploiement livraison mise 部署 发布 上线 デプロイ リリース 公開 배포 릴리스
build compile bauen ubersetzen construire compiler compilation 构建 编译 ビルド コンパイル 빌드 컴파일
pipeline ci workflow 流水线 パイプライン 파이프라인
branch zweig branche 分支 ブランチ 브랜치
commit einchecken 提交 コミット 커밋
merge zusammenfuhren fusionner fusion 合并 マージ 병합
push hochschieben pousser 推送 プッシュ 푸시
database db datenbank base donnees 数据库 データベース 데이터베이스
table tabelle 表 テーブル 테이블
query abfrage requete 查询 クエリ 쿼리 질의
schema migration migrations 迁移 マイグレーション 마이그레이션
transaction transaktion 事务 トランザクション 트랜잭션
lock deadlock locked sperre verklemmung verrou 锁 死锁 ロック デッドロック 잠금 교착
record records row entry datensatz eintrag enregistrement 记录 レコード 행 레코드
cache caching cached zwischenspeicher 缓存 キャッシュ 캐시
memory ram heap speicher arbeitsspeicher memoire 内存 メモリ 메모리
leak leaking grows leck fuite 泄漏 上涨 リーク 누수
disk drive storage festplatte platte speicherplatz disque stockage 磁盘 硬盘 存储 ディスク ストレージ 디스크 저장소
full exhausted voll plein 满了 占满 いっぱい 満杯 가득
log logs logging protokoll protokolle protokolldateien journal journaux 日志 ログ 로그
file files datei dateien fichier fichiers 文件 ファイル 파일
folder directory ordner verzeichnis dossier repertoire 目录 文件夹 フォルダ ディレクトリ 폴더 디렉터리
path pfad chemin 路径 パス 경로
name names bezeichnung nom 名称 名字 名前 이름
user users benutzer nutzer anwender utilisateur 用户 ユーザー 利用者 사용자
customer customers client clients kunde kunden 客户 顾客 顧客 お客様 고객
team colleagues kollegen mannschaft equipe 团队 チーム 팀
owner responsible contact ansprechpartner zustandig verantwortlich responsable 负责人 联系人 担当者 連絡先 담당자 연락처
login sign signin logon anmeldung anmelden einloggen connexion connecter 登录 登陆 ログイン サインイン 로그인
logout logoff abmelden deconnexion 退出 登出 ログアウト 로그아웃
password passwort kennwort motdepasse 密码 パスワード 비밀번호 암호
credential credentials secret secrets zugangsdaten geheimnis identifiants 凭据 凭证 密钥 認証情報 資格情報 자격증명 비밀
token jeton 令牌 トークン 토큰
session sitzung 会话 セッション 세션
valid validity expire expires expiry gultig ablaufen lauft expirer valable 有效 过期 有効 期限 유효 만료
renew renewal refresh rotate erneuern verlangern renouveler 续期 刷新 更新 갱신
permission rights access allowed berechtigung zugriff zugang erlaubt droit acces autorisation 权限 许可 権限 アクセス 권한 접근
forbidden prohibited never verboten niemals interdit jamais 禁止 不要 不能 不得 금지
encrypt encryption verschlusseln verschlusselung chiffrer chiffrement 加密 暗号化 암호화
certificate tls ssl https zertifikat certificat 证书 証明書 인증서
secure security safe sicher sicherheit securite sur 安全 セキュリティ 보안 안전
privacy personal anonymised anonymous datenschutz personenbezogen anonym confidentialite 隐私 脱敏 匿名 プライバシー 個人情報 개인정보
vulnerability hole exploit schwachstelle lucke faille 漏洞 脆弱性 취약점
server host rechner serveur 服务器 主机 サーバー 서버
service dienst 服务 サービス 서비스
network netz netzwerk reseau 网络 ネットワーク 네트워크
outage downtime failover ausfall panne 故障 切换 停机 停止 フェイルオーバー 중단 장애조치
connection connect verbindung verbinden connexion 连接 接続 연결
timeout zeituberschreitung wait waiting warten attente attendre delai 超时 等待 タイムアウト 待つ 타임아웃 대기
retry again repeat wiederholen erneut wiederholung reessayer 重试 再试 リトライ 再試行 재시도
limit cap maximum quota throttle grenze obergrenze begrenzung limite plafond 限制 上限 限流 制限 제한 한도
rate frequency haufigkeit frequence 频率 頻度 빈도
queue backlog warteschlange stau file 队列 积压 キュー 待ち行列 큐 대기열
message event nachricht ereignis evenement 消息 事件 メッセージ イベント 메시지 이벤트
broker kafka rabbitmq 消息队列 ブローカー 브로커
job task worker aufgabe auftrag tache 任务 作业 ジョブ タスク 작업
schedule cron nightly scheduled zeitplan nachts geplant planifier planifie 定时 计划 每天 スケジュール 定期 毎日 예약 매일
duplicate twice double doubled doppelt zweimal doublon deux 重复 两次 重複 二重 二回 중복 두번
idempotent idempotency idempotenz 幂等 冪等 멱등
missing lost lose vanish fehlt fehlen verloren verschwinden manquer perdu 丢失 缺少 消失 不见 欠落 失う 누락 분실 사라
empty null blank leer vide 空 为空 空白 空の 빈
zero zeros null nullen zero 零 前导零 ゼロ 영
number numbers nummer zahl numero nombre 号码 编号 数字 番号 번호 숫자
date dates datum jour 日期 日付 날짜
time clock hour uhrzeit zeit stunde heure temps 时间 几点 時刻 時間 시간
timezone zone zeitzone fuseau 时区 タイムゾーン 시간대
day days tag tage jour 天 日 日間 일
week weekly woche wochentlich semaine 周 每周 週 毎週 주
month monthly monat monatlich mois 月 每月 毎月 월
calendar kalender calendrier 日历 カレンダー 달력
holiday vacation absence absent urlaub feiertag abwesenheit conge vacances ferie 假期 休假 节假日 休暇 祝日 휴가 휴일
order orders bestellung bestellungen auftrag commande 订单 注文 주문
invoice bill billing invoices rechnung rechnungen facture facturation 发票 账单 請求書 인보이스 청구서
payment pay paid zahlung bezahlen paiement payer 支付 付款 決済 支払 결제 지불
reminder dunning mahnung zahlungserinnerung rappel 催款 提醒 督促 リマインダー 독촉 알림
price cost tariff pricing preis kosten tarif prix cout 价格 费用 成本 価格 料金 費用 가격 비용 요금
money currency amount geld wahrung betrag argent montant 金额 货币 金額 通貨 금액 통화
round rounding rounded runden rundung arrondir arrondi 四舍五入 取整 丸め 반올림
stock inventory warehouse lager bestand lagerbestand entrepot inventaire 库存 仓库 在庫 倉庫 재고 창고
shipping parcel delivery shipment package versand paket lieferung sendung livraison colis expedition 物流 快递 发货 包裹 配送 出荷 荷物 배송 택배
carrier courier spediteur versanddienst transporteur 承运商 物流公司 運送会社 운송사
label labels etikett etiketten etiquette 标签 面单 ラベル 라벨
print printer printing drucken drucker imprimer imprimante impression 打印 打印机 印刷 プリンター 인쇄 프린터
scanner barcode scan strichcode douchette 扫码 条码 扫描 スキャナー バーコード 스캐너 바코드
contract agreement vertrag contrat 合同 契約 계약
cancel cancelled cancellation terminate stornieren kundigen gekundigt annuler resilier 取消 解约 キャンセル 解約 취소 해지
supplier vendor partner lieferant fournisseur partenaire 供应商 合作 伙伴 取引先 パートナー 협력사 파트너
address adresse anschrift 地址 住所 주소
phone mobile telefon handy telephone 电话 手机 電話 携帯 전화 휴대폰
mail email post brief courriel 邮件 邮箱 メール 메일 이메일
meeting call appointment besprechung termin sitzung reunion rendezvous 会议 开会 会議 打ち合わせ 회의
review reviewer uberprufung begutachtung revue relecture 评审 审查 レビュー 검토 리뷰
pull request pr 合并请求 プルリクエスト 풀리퀘스트
comment comments kommentar commentaire 注释 评论 コメント 주석 댓글
document docs documentation manual handbook dokumentation handbuch anleitung manuel 文档 手册 说明 ドキュメント 文書 手順書 マニュアル 문서 설명서
report reports evaluation bericht auswertung rapport 报表 报告 レポート 報告 보고서
chart graph diagram plot diagramm schaubild graphique schema 图表 グラフ 図 차트 그래프
dashboard monitoring board uberwachung surveillance 监控 大盘 仪表盘 ダッシュボード 監視 대시보드 모니터링
alert alarm warning oncall pager warnung bereitschaft alerte astreinte avertissement 告警 报警 值班 アラート 警告 当番 경고 알람 당직
incident outage postmortem vorfall zwischenfall incident 事故 故障 インシデント 사고 장애
backup restore sicherung wiederherstellen sauvegarde restauration restaurer 备份 恢复 バックアップ 復元 백업 복원 복구
export exporter ausfuhr 导出 エクスポート 내보내기
import importer einlesen 导入 インポート 取り込み 가져오기
upload hochladen televerser 上传 アップロード 업로드
download herunterladen telecharger 下载 ダウンロード 다운로드
image picture photo screenshot bild foto bildschirmfoto photo capture 图片 照片 截图 画像 写真 スクリーンショット 이미지 사진
video film 视频 動画 동영상
button knopf schaltflache bouton 按钮 ボタン 버튼
form input formular eingabe formulaire saisie 表单 输入 フォーム 入力 폼 입력
page site website seite webseite 页面 网站 网页 ページ サイト 페이지 사이트
screen display bildschirm anzeige ecran affichage 屏幕 显示 画面 表示 화면 표시
color colour colours farbe farbig couleur 颜色 色 カラー 색상 색깔
dark night dunkel nuit sombre 深色 夜间 暗色 ダーク 다크
font typeface schrift schriftart police 字体 フォント 글꼴 폰트
layout design gestaltung entwurf conception 布局 设计 レイアウト デザイン 設計 디자인 설계
frontend oberflache ui interface 前端 界面 フロントエンド 画面 프론트엔드
backend 后端 バックエンド 백엔드
browser navigateur 浏览器 ブラウザ 브라우저
api endpoint interface schnittstelle 接口 エンドポイント インターフェース 인터페이스
webhook callback hook ruckruf rappel 回调 コールバック 콜백 웹훅
signature sign verify genuine signatur unterschrift prufen echt signer verifier 签名 验签 署名 検証 서명 검증
parse parser parsing einlesen analyser 解析 パース 파싱
format formatter formatting formatierung 格式 格式化 フォーマット 書式 形式 형식 포맷
encoding utf unicode charset zeichensatz kodierung encodage 编码 字符集 文字コード エンコード 인코딩 문자
character letter sign zeichen buchstabe caractere lettre 字符 文字 문자 글자
umlaut accent accents 变音 アクセント
language sprache langue 语言 言語 언어
translate translation ubersetzen ubersetzung traduire traduction 翻译 翻訳 번역
german deutsch allemand 德语 ドイツ語 독일어
english englisch anglais anglizismen 英语 英文 英語 영어
chinese chinesisch chinois 中文 汉语 中国語 중국어
japanese japanisch japonais 日语 日文 日本語 일본어
korean koreanisch coreen 韩语 韓国語 한국어
french franzosisch francais 法语 フランス語 프랑스어
answer reply response antwort antworten reponse repondre 回答 回复 答复 返信 返事 대답 답변
question frage 提问 質問 질문
short brief concise terse kurz knapp court bref 简短 简洁 短い 簡潔 짧은 간결
long lengthy lang ausfuhrlich 很长 長い 긴
preference prefer prefers favourite likes vorliebe bevorzugt mag lieber prefere preference 喜欢 偏好 好み 好き 선호 좋아
dislike hate avoid mag vermeiden deteste eviter 讨厌 避免 嫌い 避ける 싫어 피하
tool tools werkzeug outil 工具 ツール 도구
command cli befehl kommando commande 命令 コマンド 명령
shell terminal konsole console 终端 シェル ターミナル 셸 터미널
script skript 脚本 スクリプト 스크립트
editor ide vim 编辑器 エディタ 편집기
keyboard shortcut tastatur tastenkurzel clavier raccourci 键盘 快捷键 キーボード ショートカット 키보드 단축키
computer laptop machine rechner notebook ordinateur 电脑 笔记本 パソコン マシン 컴퓨터 노트북
package dependency library module paket abhangigkeit bibliothek paquet dependance bibliotheque 依赖 包 库 パッケージ 依存 ライブラリ 패키지 의존성 라이브러리
version release versionsnummer ausgabe 版本 バージョン 버전
upgrade update bump aktualisieren aktualisierung mettre miseajour 升级 更新 アップデート 更新 업데이트 업그레이드
switch migrate moved replace replaced umstieg wechsel ersetzen umgezogen migrer remplacer passer 迁移 切换 替换 换成 改用 移行 置き換え 切り替え 전환 교체 이전
setting config configuration option einstellung konfiguration parametre reglage 配置 设置 設定 설정
flag toggle feature switch schalter drapeau 开关 特性 フラグ 플래그
environment staging umgebung environnement 环境 環境 환경
production live prod produktion produktiv produktionssystem 生产 线上 生产环境 本番 운영 프로덕션
development dev entwicklung developpement 开发 開発 개발
local lokal locale 本地 ローカル 로컬
container docker pod kubernetes k8s behalter conteneur 容器 コンテナ 컨테이너
cluster node knoten noeud 集群 节点 クラスタ ノード 클러스터 노드
region datacenter rechenzentrum hoster zone centre 机房 区域 地域 データセンター リージョン 데이터센터 리전
cloud aws amazon s3 gcp azure 云 クラウド 클라우드
monorepo repository repo depot 仓库 代码库 リポジトリ 저장소
variable variablen 变量 変数 변수
function method funktion methode fonction 函数 方法 関数 メソッド 함수 메서드
class klasse classe 类 クラス 클래스
loop schleife boucle 循环 ループ 반복문 루프
type typing hint types typ typen 类型 型 タイプ 타입
mock fake stub attrappe nachbildung bouchon simuler 模拟 モック 모의 목
architecture decision architektur entscheidung decision 架构 决策 アーキテクチャ 決定 설계 결정
rejected abandoned dropped abgelehnt verworfen rejete abandonne 放弃 否决 却下 断念 거부 포기
performance optimise optimize leistung optimieren optimiser 性能 优化 性能 最適化 성능 최적화
measure benchmark profile messen messung mesurer mesure 测量 基准 計測 ベンチマーク 측정 벤치마크
load traffic last charge trafic 负载 流量 负荷 負荷 トラフィック 부하 트래픽
search suche suchen recherche chercher 搜索 检索 検索 검색
sort order sorting sortieren sortierung trier tri 排序 並び替え ソート 정렬
filter filtern filtrer 过滤 筛选 フィルタ 필터
index indices verzeichnis 索引 インデックス 색인 인덱스
train training trainieren entrainer entrainement 训练 学習 訓練 훈련 학습
model modell modele 模型 モデル 모델
sample example beispiel muster exemple echantillon 示例 样本 样例 サンプル 例 예시 샘플
data daten donnees 数据 データ 데이터
seed seeding fill testdaten befullen remplir 填充 初始化 シード 初期データ 시드 초기화
reset zurucksetzen reinitialiser 重置 リセット 초기화 재설정
freeze frozen stop einfrieren sperre gel 冻结 凍結 동결
deadline due frist termin stichtag echeance date 截止 期限 締め切り 마감 기한
license licence copyleft lizenz 许可证 ライセンス 라이선스
legal lawyer recht anwalt juridique avocat 法务 法律 法務 법무 법률
office buro bureau 办公室 オフィス 事務所 사무실
food lunch eat vegetarian essen mittagessen vegetarisch manger dejeuner repas 吃饭 午餐 素食 食事 昼食 ベジタリアン 음식 점심 채식
drink coffee tea trinken kaffee tee boire cafe the 喝 咖啡 茶 飲む コーヒー お茶 마시 커피 차
child baby newborn kind saugling enfant bebe naissance 孩子 婴儿 子供 赤ちゃん 아이 아기
train commute zug bahn pendeln 火车 通勤 電車 기차 통근
interview hiring applicant bewerbung vorstellungsgesprach einstellung entretien embauche 面试 招聘 面接 採用 면접 채용
accessible accessibility barrierefrei barrierefreiheit accessibilite 无障碍 アクセシビリティ 접근성
spelling orthography rechtschreibung orthographe 拼写 スペル 綴り 철자
emoji emojis smiley 表情 絵文字 이모지
indent indentation tabs spaces einruckung einrucken indentation 缩进 インデント 들여쓰기
generated generator codegen erzeugt genere 自动生成 自動生成 자동생성
request requests anfrage aufruf aufrufe requete appel 请求 调用 リクエスト 呼び出し 요청 호출
header kopfzeile entete 请求头 ヘッダー 헤더
compress compression komprimieren compresser 压缩 圧縮 압축
distribution binary executable ausfuhrbar binaire executable 二进制 可执行 バイナリ 바이너리
exit code status ruckgabewert sortie 退出码 返回码 終了コード 종료코드
location place where standort ort fundort ablage emplacement lieu 位置 地点 在哪 場所 保存先 위치 장소
kids children child son daughter kinder sohn tochter enfants fils fille 孩子 儿子 女儿 子供 息子 娘 아이 아들 딸
mother mom mum mutter mere maman 母亲 妈妈 母 엄마 어머니
father dad vater pere papa 父亲 爸爸 父 아빠 아버지
parents family relatives eltern familie parents famille 父母 家人 家庭 両親 家族 부모 가족
husband wife spouse partner married marry wedding marriage ehemann ehefrau hochzeit heirat mari epouse mariage 丈夫 妻子 结婚 夫 結婚 남편 아내 결혼
friend friends buddy freund freunde ami amis 朋友 友達 친구
pet pets dog cat puppy kitten animal haustier hund katze tier animal chien chat 宠物 狗 猫 ペット 犬 반려동물 강아지 고양이
travel trip journey vacation visit visited tour reise reisen urlaub besuch voyage visite 旅行 旅游 出差 访问 旅 여행 방문
hobby hobbies activity activities pastime interest freizeit loisir activite 爱好 活动 趣味 活動 취미 활동
book books novel read reading author buch bucher lesen livre livres lire 书 阅读 小说 本 読書 책 독서
movie film movies show series cinema kino serie 电影 映画 영화
music song songs band concert instrument sing musik lied konzert musique chanson 音乐 歌曲 音楽 歌 음악 노래
art painting paint painted draw drawing artwork kunst malen gemalde peinture peindre dessin 画画 绘画 艺术 絵 芸術 그림 예술
dance dancing studio tanzen tanz danse danser 舞蹈 ダンス 춤
school college university education study studies degree student schule studium universitat ecole etudes 学校 大学 学习 学校 勉強 학교 대학 공부
job career work profession employment occupation position beruf arbeit stelle metier travail emploi 工作 职业 仕事 職業 직업 업무
boss manager supervisor lead leader chef leiter vorgesetzter responsable 老板 经理 上司 マネージャー 상사 매니저
business company startup store shop firma unternehmen laden entreprise magasin 公司 商店 会社 店 회사 가게
home house apartment flat live lives residence haus wohnung wohnen maison appartement habiter 家 房子 住在 住む 家 집 아파트
city town country place nation stadt land ort ville pays 城市 国家 都市 国 도시 나라
food meal dish cook cooking recipe bake dinner essen gericht kochen rezept plat cuisine recette 食物 做饭 菜谱 料理 レシピ 음식 요리
exercise workout gym fitness training sport run running yoga ubung laufen exercice courir 锻炼 运动 健身 運動 운동
hike hiking camp camping outdoors nature mountain forest wandern zelten natur berg randonnee camper montagne 徒步 露营 爬山 登山 キャンプ 등산 캠핑
beach sea ocean coast lake strand meer kuste plage mer 海边 海滩 海 바다 해변
health sick illness disease doctor hospital medical gesundheit krank krankheit arzt krankenhaus sante malade maladie medecin 健康 生病 医院 医生 病気 病院 医者 건강 병원 의사
stress anxiety worry worried nervous pressure sorge angst souci angoisse 压力 焦虑 担心 不安 ストレス 스트레스 걱정
happy glad joy excited thrilled proud glucklich froh stolz heureux content fier 高兴 开心 自豪 嬉しい 幸せ 기쁘 행복
sad upset disappointed unhappy traurig enttauscht triste decu 难过 失望 悲しい 슬프 실망
love enjoy enjoys fond passion passionate liebe leidenschaft aimer adorer 热爱 喜爱 愛 大好き 사랑 즐기
help support assist aid volunteer volunteering charity hilfe helfen unterstutzen ehrenamt aide aider benevole 帮助 支持 志愿 支援 助け 도움 지원 봉사
buy purchase bought acquire kaufen gekauft einkaufen acheter achat 购买 买了 買う 購入 구매 사다
gift present geschenk cadeau 礼物 プレゼント 선물
car vehicle drive truck auto fahrzeug fahren voiture conduire 汽车 开车 車 자동차 운전
game games gaming play player spiel spielen jeu jouer 游戏 ゲーム 遊ぶ 게임
team match tournament competition contest win won champion wettbewerb turnier gewinnen concours tournoi gagner 比赛 冠军 大会 試合 경기 대회
teach teacher mentor coach lesson class course lehren lehrer kurs unterricht enseigner professeur cours 老师 课程 教える 先生 수업 선생
church religion faith god pray spiritual kirche glaube gebet eglise foi priere 宗教 信仰 教会 종교 신앙
goal goals aim plan plans intend intention ziel ziele plane vorhaben but objectif projet 目标 打算 目標 予定 목표 계획
dream wish hope aspire traum wunsch hoffnung reve souhait espoir 梦想 希望 夢 願い 꿈 희망
inspire inspired motivate motivation motivated inspiration inspirieren motivieren inspirer motiver 启发 激励 动力 刺激 영감 동기
challenge difficult difficulty hard struggle tough schwierig herausforderung difficile defi 困难 挑战 難しい 挑戦 어려움 도전
change changed transform transition wandel veranderung changement 改变 转变 変化 변화
begin started since ago first beginnen seit anfang commencer depuis debut 开始 最初 初めて 시작 처음
photo picture pictures photography camera shared foto kamera appareil 照片 拍照 写真 カメラ 사진
garden flower flowers plant plants garten blume pflanze jardin fleur plante 花园 植物 庭 花 정원 꽃 식물
weather rain snow storm sun wetter regen schnee meteo pluie neige 天气 下雨 天気 雨 날씨
birthday anniversary celebrate celebration party holiday geburtstag feier feiern anniversaire fete celebrer 生日 庆祝 聚会 誕生日 お祝い 생일 축하
clothes shirt dress shoes kleidung hemd schuhe vetements chemise chaussures 衣服 鞋子 服 靴 옷 신발
speak talk discuss discussed conversation chat sprechen reden gesprach parler discuter conversation 讨论 谈话 聊天 話す 相談 대화 논의
attend attended join joined participate participated event conference workshop teilnehmen veranstaltung participer assister evenement 参加 活动 会议 参加 イベント 참가 행사
meet met encounter treffen getroffen rencontrer 见面 遇到 会う 만나
move moved relocate relocated umziehen umgezogen demenager 搬家 引っ越し 이사
age old older young birth alter jahre geboren age ans naissance 年龄 出生 年齢 나이
archive ablage archiv 归档 存档 アーカイブ 보관
history published verlauf historie historique 历史 履歴 이력 기록
stable reliable resilience stabil zuverlassig fiable 稳定 可靠 安定 信頼 안정 신뢰
"""
