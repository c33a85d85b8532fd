from services.web.app import main

main()
