"""Bounds of a deal's length in new contests, by the rules' hash and the seats.

Written by `make lengths`.
"""

from typing import Final

MOST_DECISIONS: Final[dict[tuple[str, int], int]] = {
    ("b5b3a2ea012b44041b6d81506d2e56260e9e14ebbc0b5300b0eb46c6dd41afed", 2): 260,  # app
    ("b5b3a2ea012b44041b6d81506d2e56260e9e14ebbc0b5300b0eb46c6dd41afed", 3): 250,  # app
    ("b5b3a2ea012b44041b6d81506d2e56260e9e14ebbc0b5300b0eb46c6dd41afed", 4): 340,  # app
    ("ba9078bb26a78fcb331222bfff5445c09fcbdde34a9e693e4ece7b19afe08982", 2): 450,  # crocodile
    ("ba9078bb26a78fcb331222bfff5445c09fcbdde34a9e693e4ece7b19afe08982", 3): 400,  # crocodile
    ("ba9078bb26a78fcb331222bfff5445c09fcbdde34a9e693e4ece7b19afe08982", 4): 380,  # crocodile
    ("0cfefebb31a587942877988cf5159405d01380f26237ef6850c09b79ccd3374f", 3): 620,  # crocodile, places
    ("0cfefebb31a587942877988cf5159405d01380f26237ef6850c09b79ccd3374f", 4): 620,  # crocodile, places
    ("0cfefebb31a587942877988cf5159405d01380f26237ef6850c09b79ccd3374f", 5): 860,  # crocodile, places
    ("c57003b90ba8bb24546b0c30ad55e36fa735184bcbcbfd6992483712514ec5b5", 2): 450,  # czech_fool
    ("c57003b90ba8bb24546b0c30ad55e36fa735184bcbcbfd6992483712514ec5b5", 3): 400,  # czech_fool
    ("c57003b90ba8bb24546b0c30ad55e36fa735184bcbcbfd6992483712514ec5b5", 4): 380,  # czech_fool
    ("f429424feda262705b782766dc7fa773d2f757aee42e589e08d749c71ba3ff85", 3): 620,  # czech_fool, places
    ("f429424feda262705b782766dc7fa773d2f757aee42e589e08d749c71ba3ff85", 4): 620,  # czech_fool, places
    ("f429424feda262705b782766dc7fa773d2f757aee42e589e08d749c71ba3ff85", 5): 860,  # czech_fool, places
    ("ae93a485bf0243408c7a57be8d1709a25ae9137380c70aac8c2368dad65e2051", 2): 220,  # faraon
    ("ae93a485bf0243408c7a57be8d1709a25ae9137380c70aac8c2368dad65e2051", 3): 420,  # faraon
    ("ae93a485bf0243408c7a57be8d1709a25ae9137380c70aac8c2368dad65e2051", 4): 610,  # faraon
    ("2d59f26fc527bbd83cf11b69e513d8cd9ffba9f11eb98c5fe2af964c08260462", 3): 420,  # faraon, places
    ("2d59f26fc527bbd83cf11b69e513d8cd9ffba9f11eb98c5fe2af964c08260462", 4): 610,  # faraon, places
    ("2d59f26fc527bbd83cf11b69e513d8cd9ffba9f11eb98c5fe2af964c08260462", 5): 660,  # faraon, places
    ("e57cf70eef71d30bcf9b2352b27ca7127c1ebede7eaa231e2ad9a530bc6d2791", 2): 820,  # haft_khabis
    ("e57cf70eef71d30bcf9b2352b27ca7127c1ebede7eaa231e2ad9a530bc6d2791", 3): 610,  # haft_khabis
    ("e57cf70eef71d30bcf9b2352b27ca7127c1ebede7eaa231e2ad9a530bc6d2791", 4): 410,  # haft_khabis
    ("ee8f75d17608cd0295b882a2425ae4b8d58ca88384f30b2861ac90082aa6592a", 3): 790,  # haft_khabis, places
    ("ee8f75d17608cd0295b882a2425ae4b8d58ca88384f30b2861ac90082aa6592a", 4): 1090,  # haft_khabis, places
    ("ee8f75d17608cd0295b882a2425ae4b8d58ca88384f30b2861ac90082aa6592a", 5): 1970,  # haft_khabis, places
    ("7e5f1d143271f48207d5bb872b21f6355df3ba52b902f55b749a8813b2a11625", 2): 490,  # mau_mau
    ("7e5f1d143271f48207d5bb872b21f6355df3ba52b902f55b749a8813b2a11625", 3): 400,  # mau_mau
    ("7e5f1d143271f48207d5bb872b21f6355df3ba52b902f55b749a8813b2a11625", 4): 450,  # mau_mau
    ("b83a1e42caf3695a6e221d65862f4d65371cd19733037c60b66d027932f0db2b", 3): 540,  # mau_mau, places
    ("b83a1e42caf3695a6e221d65862f4d65371cd19733037c60b66d027932f0db2b", 4): 660,  # mau_mau, places
    ("b83a1e42caf3695a6e221d65862f4d65371cd19733037c60b66d027932f0db2b", 5): 670,  # mau_mau, places
    ("79dccd075f07e184a74ce5a5fc7d1e2081add7276a3eddcd9b6ac5ab49afe2d2", 2): 420,  # neuner
    ("79dccd075f07e184a74ce5a5fc7d1e2081add7276a3eddcd9b6ac5ab49afe2d2", 3): 320,  # neuner
    ("79dccd075f07e184a74ce5a5fc7d1e2081add7276a3eddcd9b6ac5ab49afe2d2", 4): 330,  # neuner
    ("d81c7518c7b7952a1552da7c46d4ea2299ef10b1db4f961dc43ff83b708e250b", 3): 430,  # neuner, places
    ("d81c7518c7b7952a1552da7c46d4ea2299ef10b1db4f961dc43ff83b708e250b", 4): 660,  # neuner, places
    ("d81c7518c7b7952a1552da7c46d4ea2299ef10b1db4f961dc43ff83b708e250b", 5): 640,  # neuner, places
    ("f49ad845d1ee0612a1615032e9e67e4a4dedccf56b9209e251bdd3e8bd811d25", 2): 570,  # one_oh_one
    ("f49ad845d1ee0612a1615032e9e67e4a4dedccf56b9209e251bdd3e8bd811d25", 3): 400,  # one_oh_one
    ("f49ad845d1ee0612a1615032e9e67e4a4dedccf56b9209e251bdd3e8bd811d25", 4): 570,  # one_oh_one
    ("1fc8ae6e1faaef590a085a5987ad4b4420a70166d70b8ff15887f4d69d6dc597", 2): 1010,  # pesten
    ("1fc8ae6e1faaef590a085a5987ad4b4420a70166d70b8ff15887f4d69d6dc597", 3): 1050,  # pesten
    ("1fc8ae6e1faaef590a085a5987ad4b4420a70166d70b8ff15887f4d69d6dc597", 4): 880,  # pesten
    ("4701bfde11e187e27b63e889ebe0e4044b965493464d14fd8847a6aa62414feb", 3): 1200,  # pesten, places
    ("4701bfde11e187e27b63e889ebe0e4044b965493464d14fd8847a6aa62414feb", 4): 1200,  # pesten, places
    ("4701bfde11e187e27b63e889ebe0e4044b965493464d14fd8847a6aa62414feb", 5): 1950,  # pesten, places
    ("931f779e25aa98d81529c77fbadd5cd917e4c3edd33af44ab7b58c669049b624", 2): 450,  # pharaoh_ru
    ("931f779e25aa98d81529c77fbadd5cd917e4c3edd33af44ab7b58c669049b624", 3): 400,  # pharaoh_ru
    ("931f779e25aa98d81529c77fbadd5cd917e4c3edd33af44ab7b58c669049b624", 4): 380,  # pharaoh_ru
    ("29686e326059cbccb4d292a645c315bfc23a7d9c0877f00b0a54ec00f64182f4", 3): 620,  # pharaoh_ru, places
    ("29686e326059cbccb4d292a645c315bfc23a7d9c0877f00b0a54ec00f64182f4", 4): 620,  # pharaoh_ru, places
    ("29686e326059cbccb4d292a645c315bfc23a7d9c0877f00b0a54ec00f64182f4", 5): 860,  # pharaoh_ru, places
    ("decbaa21a3bdaccab1b66f89b14cde51eb14b20dbc07c54290090ce9eabae573", 2): 350,  # prsi
    ("decbaa21a3bdaccab1b66f89b14cde51eb14b20dbc07c54290090ce9eabae573", 3): 370,  # prsi
    ("decbaa21a3bdaccab1b66f89b14cde51eb14b20dbc07c54290090ce9eabae573", 4): 280,  # prsi
    ("33ac75702fa04238e6a6deb5b0f019f81318a0b7ed9b596b6b99de2720cf5830", 3): 540,  # prsi, places
    ("33ac75702fa04238e6a6deb5b0f019f81318a0b7ed9b596b6b99de2720cf5830", 4): 530,  # prsi, places
    ("33ac75702fa04238e6a6deb5b0f019f81318a0b7ed9b596b6b99de2720cf5830", 5): 520,  # prsi, places
    ("61ac17d95f89928f387a6c3b078637c60519b3d633ac7d04011cda01f7ae0a31", 2): 2000,  # prsi_blind
    ("61ac17d95f89928f387a6c3b078637c60519b3d633ac7d04011cda01f7ae0a31", 3): 2000,  # prsi_blind
    ("61ac17d95f89928f387a6c3b078637c60519b3d633ac7d04011cda01f7ae0a31", 4): 1210,  # prsi_blind
    ("99aec79cb8386fbfbe4a17d3784dfd4a0bb573d3f6bc074df88cc30b23027ca6", 3): 2000,  # prsi_blind, places
    ("99aec79cb8386fbfbe4a17d3784dfd4a0bb573d3f6bc074df88cc30b23027ca6", 4): 2000,  # prsi_blind, places
    ("99aec79cb8386fbfbe4a17d3784dfd4a0bb573d3f6bc074df88cc30b23027ca6", 5): 2000,  # prsi_blind, places
    ("c1ef0eb030c88b393214f94ef090a22f20e784fac139b351b7dc85a880404778", 2): 330,  # prsi_quick
    ("c1ef0eb030c88b393214f94ef090a22f20e784fac139b351b7dc85a880404778", 3): 250,  # prsi_quick
    ("c1ef0eb030c88b393214f94ef090a22f20e784fac139b351b7dc85a880404778", 4): 310,  # prsi_quick
    ("8e479a6287eab77722156c24fa980d78f31a7b4fe18ed6c5b4c6f0561a0db4f5", 3): 390,  # prsi_quick, places
    ("8e479a6287eab77722156c24fa980d78f31a7b4fe18ed6c5b4c6f0561a0db4f5", 4): 420,  # prsi_quick, places
    ("8e479a6287eab77722156c24fa980d78f31a7b4fe18ed6c5b4c6f0561a0db4f5", 5): 440,  # prsi_quick, places
    ("ed10c94726af3ff887ebb35af9e5ad4f9d124adad072975e8a4a221e007b3c2f", 2): 490,  # puque
    ("ed10c94726af3ff887ebb35af9e5ad4f9d124adad072975e8a4a221e007b3c2f", 3): 590,  # puque
    ("ed10c94726af3ff887ebb35af9e5ad4f9d124adad072975e8a4a221e007b3c2f", 4): 460,  # puque
    ("ecbea763f31ac9f4df828263ca9cb8aac58d7fa71c27c759d13a8ee617c71a28", 3): 1070,  # puque, places
    ("ecbea763f31ac9f4df828263ca9cb8aac58d7fa71c27c759d13a8ee617c71a28", 4): 930,  # puque, places
    ("ecbea763f31ac9f4df828263ca9cb8aac58d7fa71c27c759d13a8ee617c71a28", 5): 1040,  # puque, places
    ("853f701a21c29559bd0a858c361b3afd564605b7d3b575768fe864168f7f4ee2", 2): 350,  # schweizer
    ("853f701a21c29559bd0a858c361b3afd564605b7d3b575768fe864168f7f4ee2", 3): 480,  # schweizer
    ("853f701a21c29559bd0a858c361b3afd564605b7d3b575768fe864168f7f4ee2", 4): 470,  # schweizer
    ("7dbd8256859b5a8fc8e745fdf925cc10af285b04f06a5207b221ec0de453c3d0", 2): 490,  # schweizer_2016
    ("7dbd8256859b5a8fc8e745fdf925cc10af285b04f06a5207b221ec0de453c3d0", 3): 430,  # schweizer_2016
    ("7dbd8256859b5a8fc8e745fdf925cc10af285b04f06a5207b221ec0de453c3d0", 4): 440,  # schweizer_2016
    ("546d56e8ef0808d3abdc8f50b5c4670895480738ef38a25464e46e0dc1d056da", 2): 410,  # shop_basic
    ("546d56e8ef0808d3abdc8f50b5c4670895480738ef38a25464e46e0dc1d056da", 3): 290,  # shop_basic
    ("546d56e8ef0808d3abdc8f50b5c4670895480738ef38a25464e46e0dc1d056da", 4): 230,  # shop_basic
    ("9c4fb358df935ec10cc44fd10c3561ac44ba04f26451bdc6b544e4a93fbfaf1a", 3): 370,  # shop_basic, places
    ("9c4fb358df935ec10cc44fd10c3561ac44ba04f26451bdc6b544e4a93fbfaf1a", 4): 530,  # shop_basic, places
    ("9c4fb358df935ec10cc44fd10c3561ac44ba04f26451bdc6b544e4a93fbfaf1a", 5): 540,  # shop_basic, places
    ("9dec1c147493fee32e4f4ab87c10ae66b04024f3c0311f023723265e0c159721", 2): 400,  # shop_extended
    ("9dec1c147493fee32e4f4ab87c10ae66b04024f3c0311f023723265e0c159721", 3): 290,  # shop_extended
    ("9dec1c147493fee32e4f4ab87c10ae66b04024f3c0311f023723265e0c159721", 4): 560,  # shop_extended
    ("3187cadf6e4c78a9c67f45fce0f4883460219c49af95adefb8e26dc2dfc94ba5", 2): 320,  # tschau_sepp
    ("3187cadf6e4c78a9c67f45fce0f4883460219c49af95adefb8e26dc2dfc94ba5", 3): 320,  # tschau_sepp
    ("3187cadf6e4c78a9c67f45fce0f4883460219c49af95adefb8e26dc2dfc94ba5", 4): 300,  # tschau_sepp
    ("9cbaca1675cb3ff954b32a73ae9bf7822de696a467b3c8a964b12dff78279ff9", 3): 450,  # tschau_sepp, places
    ("9cbaca1675cb3ff954b32a73ae9bf7822de696a467b3c8a964b12dff78279ff9", 4): 510,  # tschau_sepp, places
    ("9cbaca1675cb3ff954b32a73ae9bf7822de696a467b3c8a964b12dff78279ff9", 5): 650,  # tschau_sepp, places
}
